/** The files of deploy/ name only settings, commands, metrics and files that there are. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readCommandLine } from '../../src/cli/run-command-line.ts';
import { readConfig, settings, unknownVariables } from '../../src/config/config.ts';
import { refusalReasons } from '../../src/mcp/http/refusals.ts';
import { serverOver } from '../server-over.ts';
import { fencedBlocks } from './markdown.ts';

const read = (name: string) => readFileSync(name, 'utf8');
const has = (program: string) => spawnSync(program, ['--version']).error === undefined;

/** Settings as they would be read; the secrets lie in files that are not here. */
function settles(env: Record<string, string>): void {
  expect(unknownVariables(env)).toEqual([]);
  const secret = 'COMMERCE_CLIENT_SECRET_FILE' in env && { COMMERCE_CLIENT_SECRET: 'a secret' };
  const redis = 'COMMERCE_REDIS_URL_FILE' in env && { COMMERCE_REDIS_URL: 'redis://:word@redis' };
  readConfig({ env: { ...env, ...secret, ...redis } });
}

const unit = read('deploy/commerce-mcp.service');

test('the unit has settings that can be read, and a command of this program', () => {
  const pairs = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)];
  settles(Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value])));
  const [, words = ''] = /^ExecStart=\S+node \S+cli\.js (.*)$/m.exec(unit) ?? [];
  expect(readCommandLine(words.split(' '))?.command).toBe('http');
});

test('the steps of docs/http.md make each folder, file and group that the unit needs, and start it', () => {
  const steps = fencedBlocks('docs/http.md').find(({ text }) => text.includes('systemctl enable'));
  const group = /(?<=^SupplementaryGroups=).*$/gm;
  const needed = [
    ...(unit.match(/\/(etc|opt)\/[\w-]+(\/[\w-]+$)?/gm) ?? []),
    ...(unit.match(group) ?? []),
  ];
  expect(needed).toContain('/etc/commerce-mcp/tokens');
  for (const name of [...needed, 'dist/cli.js token new', 'daemon-reload', '/readyz'])
    expect(steps?.text).toContain(name);
  expect(steps?.text).toMatch(/^install -d -m 2750 .* \/etc\/commerce-mcp$/m);
});

const known = new Set(settings.map(({ variable }) => variable));

test.each([
  ['accounts.conf', /(?<=^Environment=)\w+/gm],
  ['compose.accounts.yaml', /\bCOMMERCE_\w+(?=:)/g],
])('several accounts are configured in %s by settings that there are', (file, form) => {
  const names: readonly string[] = read(`deploy/${file}`).match(form) ?? [];
  expect(names).toContain('COMMERCE_ACCOUNTS_FILE');
  const isKnown = (name: string) => known.has(name.replace(/_FILE$/, '')) || known.has(name);
  expect(names.filter((name) => !isKnown(name))).toEqual([]);
});

test('the files for several accounts reset the account of the unit and the services', () => {
  const own = settings.filter(({ group }) => group === 'account').map(({ variable }) => variable);
  for (const [file, more] of [
    ['deploy/commerce-mcp.service', read('deploy/accounts.conf')],
    ['deploy/compose.yaml', read('deploy/compose.accounts.yaml')],
  ] as const) {
    const given = read(file).match(new RegExp(`\\b(${own.join('|')})(_FILE)?(?=[=:])`, 'g')) ?? [];
    expect(given.length).toBeGreaterThan(3);
    for (const name of given)
      expect(more).toMatch(new RegExp(`${name}: !reset null|UnsetEnvironment=.*${name}`));
  }
});

const { services, secrets } = parse(read('deploy/compose.yaml'), { merge: true });

test('the services are two replicas with the same settings, which can be read', () => {
  for (const name of ['replica-1', 'replica-2']) {
    settles(services[name].environment);
    expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    expect(services[name].secrets).toEqual(['client-secret', 'redis-url']);
    expect(services[name].environment.COMMERCE_ALLOWED_HOSTS.split(',')).toContain(name);
  }
});

test('the services have a Redis with a password, and no secret that none of them uses', () => {
  expect(services.redis).toMatchObject({ secrets: ['redis-acl'] });
  expect(services.redis.command).toContain('/run/secrets/redis-acl');
  const used = Object.values(services).flatMap((it) => Object(it).secrets ?? []);
  expect(Object.keys(secrets).sort()).toEqual([...new Set(used)].sort());
});

test('the services stand behind a proxy that knows their names, and guards them from slow clients', () => {
  const proxy = read('deploy/nginx.conf');
  for (const [, name = ''] of proxy.matchAll(/server ([\w-]+):8787;/g))
    expect(services).toHaveProperty(name);
  for (const directive of ['client_body_timeout', 'client_header_timeout', 'send_timeout'])
    expect(proxy).toMatch(new RegExp(`^ +${directive} \\d+s;`, 'm'));
  const [mount = ''] = services.proxy.volumes;
  expect(readdirSync('deploy')).toContain(mount.slice(2).split(':')[0]);
});

test('the image is built from files that there are', () => {
  const lines = read(services['replica-1'].build.dockerfile).split('\n');
  expect(lines.filter((line) => line.startsWith('FROM '))).toHaveLength(2);
  expect(lines).toContain('USER node');
  const copied = lines.flatMap((line) => /\/build\/(\S+) /.exec(line)?.[1] ?? []);
  const kept = execFileSync('git', ['ls-files', '--', ...copied], { encoding: 'utf8' });
  for (const path of copied.filter((it) => !/^(dist|node_modules)$/.test(it)))
    expect(kept).toContain(path);
});

describe('what watches it', () => {
  const rules = read('deploy/prometheus-rules.yml');
  let names: Set<string>;

  beforeAll(async () => {
    const { origin } = await serverOver('http');
    const text = await (await fetch(`${origin}/metrics`)).text();
    const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
    const parts = ['', '_bucket', '_count', '_sum'];
    const namesOf = ([, name, type]: string[]) =>
      parts.slice(0, type === 'histogram' ? 4 : 1).map((part) => `${name}${part}`);
    names = new Set(families.flatMap(namesOf));
  });

  const files = ['deploy/prometheus-rules.yml', 'deploy/grafana-dashboard.json'];
  test.each([...files, 'docs/accounts.md', 'docs/http.md'])(
    '%s names only metrics that there are',
    (file) => {
      const named = [...read(file).matchAll(/\bcommerce_mcp_\w*[a-z]/g)].map(([name]) => name);
      expect(named.length).toBeGreaterThan(0);
      expect(named.filter((name) => !names.has(name))).toEqual([]);
    },
  );

  test('the rules of Prometheus name only reasons of refusals that there are', () => {
    for (const [, reasons = ''] of rules.matchAll(/reason=~?"([^"]+)"/g))
      for (const reason of reasons.split('|')) expect(refusalReasons).toContain(reason);
  });

  test.skipIf(!has('promtool'))('promtool takes the rules and the configuration', () => {
    const check = (...words: string[]) =>
      execFileSync('promtool', ['check', ...words], { encoding: 'utf8', stdio: 'pipe' });
    expect(check('rules', 'deploy/prometheus-rules.yml')).toContain('SUCCESS');
    expect(check('config', '--syntax-only', 'deploy/prometheus.yml')).toContain('SUCCESS');
  });
});
