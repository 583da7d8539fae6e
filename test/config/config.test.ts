import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type Config,
  ConfigError,
  type ConfigSource,
  readConfig,
  settings,
} from '../../src/config/config.ts';
import { isLoopback } from '../../src/config/values.ts';
import { toolsets } from '../../src/endpoints/define.ts';

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

describe('readConfig', () => {
  test('needs the credentials only: everything else has a default', () => {
    expect(read()).toEqual({
      baseUrl: 'https://api.example.com',
      authUrl: 'https://acme.example.com',
      clientId: 'key-acme.1',
      clientSecret: 'horse-battery-staple',
      toolsets,
      concurrency: 8,
      timeoutMs: 30_000,
      maxWaitMs: 45_000,
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

  test('names every credential that is missing, a line each', () => {
    const error = refusal({ env: {} });
    expect(error.code).toBe('bad_config');
    expect(error.problems.map(({ name }) => name)).toEqual(Object.keys(credentials));
    expect(error.problems.every(({ missing }) => missing)).toBe(true);
    expect(error.message.split('\n')).toHaveLength(4);
    expect(error.message).toContain('COMMERCE_BASE_URL is missing: Address of the platform API');
  });

  test('takes the fallback for what is missing and never for what is given', () => {
    const fallback = { baseUrl: 'http://127.0.0.1:1', authUrl: 'http://127.0.0.1:2' };
    const config = readConfig({ env: { ...credentials, COMMERCE_AUTH_URL: '' }, fallback });
    expect(config.baseUrl).toBe('https://api.example.com');
    expect(config.authUrl).toBe('http://127.0.0.1:2');
  });

  test('lets a flag win over its variable, and trims both', () => {
    const env = { COMMERCE_CONCURRENCY: ' 4 ', COMMERCE_MAX_ROWS: '500' };
    const config = read(env, { flags: { concurrency: ' 2 ' } });
    expect(config).toMatchObject({ concurrency: 2, maxRows: 500 });
  });

  test('takes a field that a desktop client was not given for one that is not given', () => {
    const env = { ...credentials, COMMERCE_TOOLSETS: `\${user_config.toolsets}` };
    expect(readConfig({ env })).toEqual(readConfig({ env: credentials }));
  });

  test.each([
    ['COMMERCE_BASE_URL', 'api.example.com', 'must be an address such as https://'],
    ['COMMERCE_BASE_URL', 'http://api.example.com', 'must be https'],
    ['COMMERCE_AUTH_URL', 'https://me:pass@example.com', 'without credentials'],
    ['COMMERCE_AUTH_URL', 'https://example.com/?a=1', 'without credentials, query'],
    ['COMMERCE_CONCURRENCY', '0', 'must be a whole number from 1 to 64'],
    ['COMMERCE_MAX_WAIT_SECONDS', '-1', 'must be a whole number from 0 to 3600'],
    ['COMMERCE_MAX_ROWS', '1e3', 'must be a whole number from 1 to 10000000'],
    ['COMMERCE_LOG_LEVEL', 'loud', 'must be one of silent, fatal'],
    ['COMMERCE_REDIS_URL', 'localhost:6379', 'must be an address such as redis://'],
    ['COMMERCE_REDIS_URL', 'redis://h?sentinels=x', 'without options after a "?"'],
    ['COMMERCE_REDIS_URL', 'redis:6379', 'must be an address such as redis://'],
    ['COMMERCE_HTTP_HOST', '127.0.0.1:80', 'must be a host name or an IP address'],
    ['COMMERCE_HTTP_PORT', '65536', 'must be a whole number from 0 to 65535'],
    ['COMMERCE_OAUTH_ISSUER', 'http://id.example.com', 'must be https'],
    ['COMMERCE_ALLOWED_HOSTS', 'a.example.com,b c', '"b c" is not a host name'],
    ['COMMERCE_ALLOWED_ORIGINS', 'app.example.com', 'is not an origin such as https://'],
    ['COMMERCE_ALLOWED_ORIGINS', '*', 'is not an origin'],
    ['COMMERCE_ALLOWED_ORIGINS', 'https://a.example.com/page', 'is not an origin'],
    ['COMMERCE_ALLOWED_HOSTS', ',', 'must name a host name'],
    ['COMMERCE_REDIS_URL', 'redis://:p%E4@h', 'must be an address such as redis://'],
    ['COMMERCE_REDIS_URL', 'redis://:100%@h', 'must be an address such as redis://'],
    ['COMMERCE_REDIS_URL', 'redis://:%e2%82@h', 'must be an address such as redis://'],
    ['COMMERCE_ALLOWED_ORIGINS', 'https://a.example.com/?x', 'is not an origin'],
    ['COMMERCE_ALLOWED_ORIGINS', 'https:a.example.com', 'is not an origin'],
    ['COMMERCE_FILL', 'last_moth', '"last_moth" is not a period. Did you mean last_month?'],
    ['COMMERCE_TOOLSETS', ',', 'must name one of the toolsets reports, orders'],
    ['COMMERCE_TOOLSETS', 'reports,sales', '"sales" is not one of the toolsets reports, orders'],
  ])('refuses %s=%s', (variable, value, problem) => {
    const { problems } = refusal({ env: { ...credentials, [variable]: value } });
    expect(problems).toHaveLength(1);
    expect(problems[0]?.name).toBe(variable);
    expect(problems[0]?.problem).toContain(problem);
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
    ['BASE_URL', 'http://localhost:3000', { baseUrl: 'http://localhost:3000' }],
    ['BASE_URL', 'http://127.0.0.1:3000/', { baseUrl: 'http://127.0.0.1:3000' }],
    ['BASE_URL', 'http://[::1]:3000', { baseUrl: 'http://[::1]:3000' }],
  ])('reads COMMERCE_%s=%s', (name, given, expected) => {
    expect(read({ [`COMMERCE_${name}`]: given })).toMatchObject(expected);
  });

  test('names the flag when the wrong value came from one', () => {
    const { message } = refusal({ env: credentials, flags: { 'base-url': 'nowhere' } });
    expect(message).toMatch(/^--base-url must be an address/);
  });

  test('reports all wrong values at once and no secret among them', () => {
    const env = { ...credentials, COMMERCE_BASE_URL: 'x', COMMERCE_MAX_ROWS: 'y' };
    const { message } = refusal({ env });
    expect(message.split('\n')).toHaveLength(2);
    expect(message).not.toContain(credentials.COMMERCE_CLIENT_SECRET);
  });

  test('never throws anything else, whatever stands in the environment', () => {
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
});

describe('the client secret', () => {
  const { COMMERCE_CLIENT_SECRET: _, ...withoutSecret } = credentials;
  const folder = mkdtempSync(join(tmpdir(), 'secret-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'secret');
  const env = { ...withoutSecret, COMMERCE_CLIENT_SECRET_FILE: file };

  test('is read from a file, without its line end, unless its own variable is given', () => {
    writeFileSync(file, 'held\n');
    expect(readConfig({ env }).clientSecret).toBe('held');
    expect(readConfig({ env: { ...env, COMMERCE_CLIENT_SECRET: 'own' } }).clientSecret).toBe('own');
  });

  test('is refused from a file that is empty or cannot be read, naming the variable', () => {
    writeFileSync(file, ' \n');
    const empty = `COMMERCE_CLIENT_SECRET_FILE names an empty file: ${file}`;
    expect(refusal({ env }).message).toBe(empty);
    rmSync(file);
    expect(refusal({ env }).message).toMatch(/^COMMERCE_CLIENT_SECRET_FILE cannot be read: ENOENT/);
  });

  test('of Redis is checked like its own variable, and not quoted', () => {
    const redis = { ...withoutSecret, COMMERCE_CLIENT_SECRET: 's', COMMERCE_REDIS_URL_FILE: file };
    writeFileSync(file, 'rediss://:a-password@redis.example.com:6380\n');
    expect(readConfig({ env: redis }).redisUrl).toBe('rediss://:a-password@redis.example.com:6380');
    writeFileSync(file, 'redis://:a-password@redis.example.com:port');
    expect(refusal({ env: redis }).message).toMatch(
      /^COMMERCE_REDIS_URL_FILE must be an address such as(?!.*a-password)/,
    );
  });

  test('has no flag, because a command line is visible', () => {
    const flags = { 'client-secret': 'visible' };
    expect(refusal({ env: withoutSecret, flags }).message).toContain('COMMERCE_CLIENT_SECRET is');
  });
});

describe('settings', () => {
  test('describe every setting, with the default as a user would write it', () => {
    for (const { about, variable } of settings) {
      expect(about).not.toBe('');
      expect(variable).toMatch(/^COMMERCE_[A-Z_]+$/);
    }
    const standards = settings.flatMap((it) => (it.standard ? [[it.variable, it.standard]] : []));
    expect(read(Object.fromEntries(standards))).toEqual(read());
  });

  test('keep the client secret, the Redis address and all tokens off the command line', () => {
    const secrets = settings.flatMap(({ flag, key }) => (flag === undefined ? [key] : []));
    expect(secrets).toEqual(['clientSecret', 'redisUrl', 'httpTokens', 'operatorToken']);
  });
});

test('this machine is known by its names and addresses, and by no others', () => {
  const own = ['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'];
  const others = ['127.0.0.1.example.com', 'localhost.example.com', '10.0.0.1', '0.0.0.0', ''];
  expect([...own, ...others].filter(isLoopback)).toEqual(own);
});

describe('each setting', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('config'))
    .map((path) => readFileSync(join('src', path), 'utf8').replaceAll(/^ *(\/\/|\*|\/\*).*$/gm, ''))
    .join('\n');

  test.each(settings)('$key is read', ({ key, variable }) => {
    // As a property that is no method, by its name among others that are taken out of an object, or as a variable.
    const uses = [`\\.${key}\\b(?!\\()`, `[{,]\\s*${key}\\b(?!\\()`, `env\\.${variable}\\b`];
    expect(new RegExp(uses.join('|')).test(sources), `nothing reads ${key}`).toBe(true);
  });
});
