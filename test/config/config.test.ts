import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Config,
  ConfigError,
  type ConfigSource,
  logLevels,
  readConfig,
  settings,
  unknownVariables,
} from '../../src/config/config.ts';
import { isLoopback } from '../../src/config/values.ts';
import { toolsets } from '../../src/endpoints/define.ts';
import { folderWith } from '../setup/folder.ts';

const credentials = {
  COMMERCE_BASE_URL: 'https://api.example.com',
  COMMERCE_AUTH_URL: 'https://acme.example.com',
  COMMERCE_CLIENT_ID: 'key-acme.1',
  COMMERCE_CLIENT_SECRET: 'horse-battery-staple',
};

function read(env: Record<string, string> = {}, rest: Omit<ConfigSource, 'env'> = {}) {
  return readConfig({ env: { ...credentials, ...env }, ...rest });
}

function refusal(source: ConfigSource): ConfigError {
  try {
    readConfig(source);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  return expect.unreachable('the configuration was accepted');
}

test('a configuration needs the credentials only: everything else has a default', () => {
  expect(read(), 'a new setting has its default here, unless it is optional').toEqual({
    baseUrl: 'https://api.example.com',
    authUrl: 'https://acme.example.com',
    clientId: 'key-acme.1',
    clientSecret: 'horse-battery-staple',
    toolsets,
    concurrency: 8,
    timeoutMs: 30_000,
    maxWaitMs: 58_000,
    maxRows: 100_000,
    queryMs: 30_000,
    queryMemoryMb: 512,
    queryMaxCalls: 300,
    keepMb: 2000,
    logLevel: 'info',
    httpHost: '127.0.0.1',
    httpPort: 8787,
    oauthAccountClaim: 'account',
  });
});

test('a configuration without credentials is refused with a line for each', () => {
  const error = refusal({ env: {} });
  expect(error.problems.map(({ name }) => name)).toEqual(Object.keys(credentials));
  expect(error.problems[0]?.problem).toMatchObject({
    code: 'missing_setting',
    about: 'Platform address',
  });
  expect(error.problems.every(({ problem: { code } }) => code === 'missing_setting')).toBe(true);
});

test('a fallback is taken for a missing setting and never for a given one', () => {
  const fallback = { baseUrl: 'http://127.0.0.1:1', authUrl: 'http://127.0.0.1:2' };
  const config = readConfig({ env: { ...credentials, COMMERCE_AUTH_URL: '' }, fallback });
  expect(config.baseUrl).toBe('https://api.example.com');
  expect(config.authUrl).toBe('http://127.0.0.1:2');
});

test('a flag precedes its variable, and both are trimmed', () => {
  const env = { COMMERCE_CONCURRENCY: ' 4 ', COMMERCE_MAX_ROWS: '500' };
  const config = read(env, { flags: { concurrency: ' 2 ' } });
  expect(config).toMatchObject({ concurrency: 2, maxRows: 500 });
});

test('a field that a desktop client left empty counts as not given', () => {
  const env = { ...credentials, COMMERCE_TOOLSETS: `\${user_config.toolsets}` };
  expect(readConfig({ env })).toEqual(readConfig({ env: credentials }));
});

const notAnOrigin = { code: 'not_of_kind', kind: 'origin' };

test.each([
  ['COMMERCE_BASE_URL', 'example', { code: 'must_be_address' }],
  ['COMMERCE_BASE_URL', 'http://api.example.com', { code: 'must_be_https' }],
  ['COMMERCE_AUTH_URL', 'https://me:pass@example.com', { code: 'must_be_bare_address' }],
  ['COMMERCE_AUTH_URL', 'https://example.com/?a=1', { code: 'must_be_bare_address' }],
  ['COMMERCE_CONCURRENCY', '0', { code: 'must_be_whole_number', min: 1, max: 64 }],
  ['COMMERCE_MAX_WAIT_SECONDS', '-1', { code: 'must_be_whole_number', min: 0, max: 3600 }],
  ['COMMERCE_MAX_ROWS', '1e3', { code: 'must_be_whole_number', min: 1, max: 10000000 }],
  ['COMMERCE_LOG_LEVEL', 'loud', { code: 'must_be_one_of', words: logLevels }],
  ['HTTPS_PROXY', 'socks5://localhost:1080', { code: 'must_be_proxy' }],
  ['COMMERCE_REDIS_URL', 'localhost:6379', { code: 'must_be_redis' }],
  ['COMMERCE_REDIS_URL', 'redis://h?sentinels=x', { code: 'must_be_redis' }],
  ['COMMERCE_PUBLIC_URL', 'http://mcp.example.com', { code: 'must_be_https' }],
  ['COMMERCE_PUBLIC_URL', 'https://mcp.example.com/mcp', { code: 'must_be_origin' }],
  ['COMMERCE_SIGN_IN', 'yes', { code: 'must_be_one_of' }],
  ['COMMERCE_HTTP_HOST', '127.0.0.1:80', { code: 'must_be_host' }],
  ['COMMERCE_OAUTH_ISSUER', 'http://id.example.com', { code: 'must_be_https' }],
  ['COMMERCE_ALLOWED_HOSTS', 'a.example.com,b c', { code: 'not_of_kind', given: 'b c' }],
  ['COMMERCE_ALLOWED_ORIGINS', 'app.example.com', notAnOrigin],
  ['COMMERCE_ALLOWED_ORIGINS', '*', notAnOrigin],
  ['COMMERCE_ALLOWED_ORIGINS', 'https://a.example.com/page', notAnOrigin],
  ['COMMERCE_ALLOWED_HOSTS', ',', { code: 'must_name', kind: 'host' }],
  ['COMMERCE_REDIS_URL', 'redis://:p%E4@h', { code: 'must_be_redis' }],
  ['COMMERCE_REDIS_URL', 'redis://:100%@h', { code: 'must_be_redis' }],
  ['COMMERCE_REDIS_URL', 'redis://:%e2%82@h', { code: 'must_be_redis' }],
  ['COMMERCE_ALLOWED_ORIGINS', 'https://a.example.com/?x', notAnOrigin],
  ['COMMERCE_ALLOWED_ORIGINS', 'https:a.example.com', notAnOrigin],
  ['COMMERCE_FILL', 'last_moth', { code: 'not_a_period', nearest: 'last_month' }],
  ['COMMERCE_TOOLSETS', ',', { code: 'must_name', kind: 'toolset' }],
  ['COMMERCE_TOOLSETS', 'reports,sales', { code: 'not_of_kind', given: 'sales' }],
])('the setting %s=%s is refused', (variable, value, problem) => {
  const { problems } = refusal({ env: { ...credentials, [variable]: value } });
  expect(problems).toHaveLength(1);
  expect(problems[0]?.name).toBe(variable);
  expect(problems[0]?.problem).toMatchObject(problem);
});

const redisUrl = 'rediss://me:pass@redis.example.com:6380/2';

test.each<[string, string, Partial<Config>]>([
  ['REDIS_URL', redisUrl, { redisUrl }],
  ['REDIS_URL', 'redis://:p%C3%A4%2F@h', { redisUrl: 'redis://:p%C3%A4%2F@h' }],
  ['HTTP_HOST', '[::1]', { httpHost: '::1' }],
  ['HTTP_HOST', '0.0.0.0', { httpHost: '0.0.0.0' }],
  ['OAUTH_ISSUER', 'https://id.example.com/', { oauthIssuer: 'https://id.example.com/' }],
  ['ALLOWED_HOSTS', 'A.org, b:8443 ,[::1]', { allowedHosts: ['a.org', 'b', '[::1]'] }],
  ['ALLOWED_ORIGINS', 'https://A.io:443/, x://b', { allowedOrigins: ['https://a.io', 'x://b'] }],
  ['TOOLSETS', 'orders, reports,orders', { toolsets: ['orders', 'reports'] }],
  ['BASE_URL', 'https://api.example.com/v1//', { baseUrl: 'https://api.example.com/v1' }],
  ['BASE_URL', 'https://api.example.com/api/', { baseUrl: 'https://api.example.com' }],
  ['BASE_URL', 'api.example.com:8443/api', { baseUrl: 'https://api.example.com:8443' }],
  ['AUTH_URL', 'auth.example.com', { authUrl: 'https://auth.example.com' }],
  ['BASE_URL', 'https://a.example.com/v1/api', { baseUrl: 'https://a.example.com/v1' }],
  ['BASE_URL', 'http://localhost:3000', { baseUrl: 'http://localhost:3000' }],
  ['BASE_URL', 'http://127.0.0.1:3000/', { baseUrl: 'http://127.0.0.1:3000' }],
  ['BASE_URL', 'http://[::1]:3000', { baseUrl: 'http://[::1]:3000' }],
])('the setting COMMERCE_%s=%s is read', (name, given, expected) => {
  expect(read({ [`COMMERCE_${name}`]: given })).toMatchObject(expected);
});

test('a wrong value of a flag is refused by the name of the flag', () => {
  const { problems } = refusal({ env: credentials, flags: { 'base-url': 'nowhere' } });
  expect(problems).toMatchObject([{ name: '--base-url', problem: { code: 'must_be_address' } }]);
});

test('all wrong values are reported at once, and no secret among them', () => {
  const env = { ...credentials, COMMERCE_BASE_URL: 'x', COMMERCE_MAX_ROWS: 'y' };
  const { message } = refusal({ env });
  expect(message.split('\n')).toHaveLength(2);
  expect(message).not.toContain(credentials.COMMERCE_CLIENT_SECRET);
});

test('any environment is read or refused by the names of its settings', () => {
  const variables = settings.map(({ variable }) => variable);
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...variables), fc.string()), (given) => {
      const env = { ...credentials, ...given };
      try {
        expect(readConfig({ env }).baseUrl).not.toMatch(/\/$/);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        for (const { name } of error.problems) expect(variables).toContain(name);
      }
    }),
  );
});

const { COMMERCE_CLIENT_SECRET: _, ...withoutSecret } = credentials;
const file = join(folderWith(), 'secret');
const env = { ...withoutSecret, COMMERCE_CLIENT_SECRET_FILE: file };

test('a secret is read from a file, without its line end, unless its own variable is given', () => {
  writeFileSync(file, 'held\n');
  expect(readConfig({ env }).clientSecret).toBe('held');
  expect(readConfig({ env: { ...env, COMMERCE_CLIENT_SECRET: 'own' } }).clientSecret).toBe('own');
});

test('a secret file that is empty or cannot be read is refused by its variable', () => {
  writeFileSync(file, ' \n');
  const name = 'COMMERCE_CLIENT_SECRET_FILE';
  expect(refusal({ env }).problems).toMatchObject([
    { name, problem: { code: 'names_empty_file', file } },
  ]);
  rmSync(file);
  expect(refusal({ env }).message).toMatch(/^COMMERCE_CLIENT_SECRET_FILE unreadable_file .*ENOENT/);
});

test('the address of Redis from a file is checked like its own variable, and not quoted', () => {
  const redis = { ...withoutSecret, COMMERCE_CLIENT_SECRET: 's', COMMERCE_REDIS_URL_FILE: file };
  writeFileSync(file, 'rediss://:a-password@redis.example.com:6380\n');
  expect(readConfig({ env: redis }).redisUrl).toBe('rediss://:a-password@redis.example.com:6380');
  writeFileSync(file, 'redis://:a-password@redis.example.com:port');
  expect(refusal({ env: redis }).message).toBe('COMMERCE_REDIS_URL_FILE must_be_redis {}');
});

test('the client secret has no flag, because a command line is visible', () => {
  const flags = { 'client-secret': 'visible' };
  expect(refusal({ env: withoutSecret, flags }).message).toContain(
    'COMMERCE_CLIENT_SECRET missing_setting',
  );
});

test('variables that name no setting are found, with the nearest that does', () => {
  const env = {
    ...credentials,
    COMMERCE_CONCURENCY: '4',
    COMMERCE_X: '1',
    COMMERCE_MCP_TOKEN: 't',
  };
  expect(unknownVariables({ ...env, COMMERCE_REDIS_URL_FILE: '/r', HOME: '/' })).toEqual([
    { variable: 'COMMERCE_CONCURENCY', nearest: 'COMMERCE_CONCURRENCY' },
    { variable: 'COMMERCE_X', nearest: undefined },
  ]);
});

test('every setting is described, with the default as a user would write it', () => {
  for (const { about, variable } of settings) {
    expect(about, variable).not.toBe('');
    expect(variable).toMatch(/^(COMMERCE_[A-Z_]+|(HTTPS?|NO)_PROXY)$/);
  }
  const defaults = settings.flatMap((it) => (it.default ? [[it.variable, it.default]] : []));
  expect(read(Object.fromEntries(defaults))).toEqual(read());
});

test('the client secret, the Redis address and all tokens have no flag', () => {
  const secrets = settings.flatMap(({ flag, key }) => (flag === undefined ? [key] : []));
  const hint = 'a secret has no flag: it stands among the secrets of src/config/config.ts';
  expect(secrets, hint).toEqual([
    'clientSecret',
    'redisUrl',
    'httpTokens',
    'signInRedisUrl',
    'operatorToken',
    // Proxies, whose addresses carry passwords.
    'httpsProxy',
    'httpProxy',
    'noProxy',
  ]);
});

test('this machine is known by its names and addresses, and by no others', () => {
  const own = ['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'];
  const others = ['127.0.0.1.example.com', 'localhost.example.com', '10.0.0.1', '0.0.0.0', ''];
  expect([...own, ...others].filter(isLoopback)).toEqual(own);
});

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('config'))
  .map((path) => readFileSync(join('src', path), 'utf8').replaceAll(/^ *(\/\/|\*|\/\*).*$/gm, ''))
  .join('\n');

test.each(settings)('the setting $key is read outside src/config', ({ key, variable }) => {
  // As a property that is no method, by its name among others that are taken out of an object, or as a variable.
  const uses = [`\\.${key}\\b(?!\\()`, `[{,]\\s*${key}\\b(?!\\()`, `env\\.${variable}\\b`];
  const hint = `nothing outside src/config reads ${key}: read config.${key} where it is needed`;
  expect(new RegExp(uses.join('|')).test(sources), hint).toBe(true);
});
