import { join } from 'node:path';

import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { StatementRuntime } from '../../src/analysis/tables/statements.ts';
import { commands } from '../../src/cli/commands.ts';
import { shownLength } from '../../src/cli/terminal/text.ts';
import { isRecord, parseJson } from '../../src/core/json.ts';
import { samples, toolsOf } from '../samples.ts';
import { sandboxAt, serverOver } from '../server-over.ts';
import { folderWith } from '../setup/folder.ts';
import { account, type Sandbox, spawnCommand } from '../spawn.ts';
import { runHere } from './run-here.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await sandboxAt({ now: Date.now, quota: 600 });
});

test('the help names every command and the way to try it out', async () => {
  const { code, stdout, stderr } = await runHere(['--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const command of ['stdio', 'demo', 'call <TOOL>', 'tools', 'sandbox'])
    expect(stdout).toMatch(new RegExp(`^ {2}${command}`, 'm'));
  expect(stdout).toContain('dist/cli.js demo');
});

test.each([
  ['stdio', 'BASE_URL CLIENT_SECRET_FILE REDIS_URL QUERY_SECONDS', 'HTTP_PORT OAUTH_ISSUER'],
  ['http', 'BASE_URL HTTP_PORT OAUTH_ISSUER HTTP_TOKENS', ''],
  ['connect', 'BASE_URL AUTH_URL CLIENT_ID CLIENT_SECRET TOOLSETS', 'HTTP_PORT'],
  ['sandbox', '', 'BASE_URL LOG_LEVEL'],
  ['demo', '', 'BASE_URL LOG_LEVEL'],
])('the help of %s lists the variables %s, and none of %s', async (command, ...lists) => {
  const [reads = [], others = []] = lists.map((it) => it.split(' ').filter(Boolean));
  const text = (await runHere([command, '--help'])).stdout;
  for (const variable of reads) expect(text).toContain(`COMMERCE_${variable}`);
  for (const variable of others) expect(text).not.toContain(`COMMERCE_${variable}`);
});

test.each(Object.keys(commands))(
  'the help of %s fits a terminal, its flags and an example before the settings',
  async (name) => {
    const text = (await runHere([name, '--help'])).stdout;
    expect(text).toMatch(new RegExp(`^Usage: node \\S*dist/cli.js ${name}`));
    const found = [...text.matchAll(/^(Example|Flags|Settings)/gm)].map(([title]) => title);
    expect(['Example Flags', 'Example Flags Settings']).toContain(found.join(' '));
    const lines = text.replaceAll(/node \S+cli\.js/g, 'commerce-mcp').split('\n');
    expect(lines.filter((line) => shownLength(line) > 80)).toEqual([]);
  },
);

test.each<[args: string[], says: string]>([
  [['cal'], "unknown command 'cal'\n(Did you mean call?)"],
  [['help', 'fly'], 'unknown command'],
  [['call', 'x', '--max-rows=1', '--max-rows=2'], '--max-rows is given twice'],
  [['call', 'get_order', 'order_id=1', 'order_id=2'], 'order_id is given twice'],
  [['tools', 'get_mee'], 'There is no tool "get_mee". Did you mean get_me?'],
  [['call', 'get_me', 'x', '--sandbox'], '"x" is not key=value'],
  [['call', 'get_daily_close', 'Utrecht'], 'the keys are: date, location_id'],
  [['call', 'get_me', '--sandbox=false'], 'COMMERCE_BASE_URL is missing'],
  [['call', 'get_me', '--sandbox='], 'COMMERCE_BASE_URL is missing'],
  [['--concurrency', '--sandbox'], '--concurrency needs a value'],
  [['query', ''], 'The statement is empty'],
  [['call', 'get_me', '--csv', '--xlsx=x'], 'cannot be used with option'],
  [['sandbox', '--port', 'many'], '--port must be a whole number from 0 to 65535'],
  [['sandbox', '--description', 'all'], 'Allowed choices are full, bare, none'],
])('%j leaves with 2 and names what is meant', async (args, says) => {
  const { code, stdout, stderr } = await runHere(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(says);
  expect(stderr).not.toMatch(/\n\s+at /);
});

test('a failure at the log level debug shows its stack by lines of src, and else its sentence alone', async () => {
  const ofSource = /src\/cli\/run-command-line\.ts:\d+/;
  const ended = spawnCommand(['nonsense'], { COMMERCE_LOG_LEVEL: 'debug' }).ended;
  expect((await ended).stderr).toMatch(ofSource);
  expect((await spawnCommand(['nonsense']).ended).stderr).not.toContain(' at ');
});

test('tools without an account lists the documented ones, and says so', async () => {
  const { code, stdout, stderr } = await runHere(['tools']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^tool +tokens\nget_daily_close +\d+\n/);
  expect(stdout).toMatch(new RegExp(`\n${samples.length} tools, about [\\d,]+ tokens together`));
  expect(stdout).not.toContain('\u001b');
  expect(stderr).toContain('No account is configured');
});

test('tools without an account lists JSON for scripts, the note apart', async () => {
  const { stdout } = await runHere(['tools', '--json', '--toolsets', 'orders']);
  const { tools } = JSON.parse(stdout);
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(toolsOf('orders').sort());
});

test('each missing setting is named, with the way to the sandbox', async () => {
  const { code, stdout, stderr } = await runHere(['stdio']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  for (const name of ['BASE_URL', 'AUTH_URL', 'CLIENT_ID', 'CLIENT_SECRET'])
    expect(stderr).toContain(`COMMERCE_${name} is missing`);
  expect(stderr).toContain('dist/cli.js demo, or add --sandbox');
});

test.each<[name: string, value: string, says: string]>([
  ['COMMERCE_BASE_URL', 'https://me:secret-word@example.com', 'without credentials'],
  ['COMMERCE_CLIENT_SECRET_FILE', '/nowhere/secret', 'cannot be read: ENOENT.*/nowhere/secret'],
])('%s=%s is refused by name', async (name, value, says) => {
  const settings = { ...account(sandbox), [name]: value };
  if (name === 'COMMERCE_CLIENT_SECRET_FILE') settings.COMMERCE_CLIENT_SECRET = '';
  const { code, stdout, stderr } = await runHere(['stdio'], settings);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(new RegExp(`${name} .*${says}`));
  expect(stderr).not.toMatch(/secret-word|sandbox-secret/);
});

test('a flag precedes its variable, and a secret comes from a file', async () => {
  const file = join(folderWith({ secret: `${sandbox.clientSecret}\n` }), 'secret');
  const { COMMERCE_CLIENT_SECRET: _, ...rest } = account(sandbox);
  const { code, stdout } = await runHere(
    ['call', 'get_me', '--json', '--base-url', sandbox.baseUrl],
    { ...rest, COMMERCE_BASE_URL: 'http://127.0.0.1:9', COMMERCE_CLIENT_SECRET_FILE: file },
  );
  expect(code).toBe(0);
  expect(parseJson(stdout)).toMatchObject({ account: { name: 'sandbox' } });
});

const args = ['list_orders', 'period=yesterday', 'limit=2', 'fields=["id","shop_id"]'];

test('call prints the text of the answer', async () => {
  const { code, stdout, stderr } = await runHere(['call', ...args], account(sandbox));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^list_orders: 2 of \d+ orders; .*\n[\s\S]*^id\b/m);
});

test('call with --json prints exactly what a client gets', async () => {
  // What a default means is said where a look has found it by then.
  const call = ['call', ...args, 'is_internal=false', '--json'];
  const { code, stdout, stderr } = await runHere(call, account(sandbox));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const connection = await serverOver('memory', { sandbox, now: Date.now });
  const input = { period: 'yesterday', limit: 2, fields: ['id', 'shop_id'], is_internal: false };
  const answer = await connection.call('list_orders', input);
  await connection.close();
  const printed = parseJson(stdout);
  const timeless = (value: unknown) =>
    isRecord(value) ? { ...value, context: { ...Object(value.context), as_of: '' } } : value;
  expect(timeless(printed)).toEqual(timeless(answer.body));
});

test('call reads no definitions of views for a tool without SQL', async () => {
  const read = vi.spyOn(StatementRuntime.prototype, 'definitions');
  onTestFinished(() => read.mockRestore());
  const { code } = await runHere(['call', 'list_shops', '--sandbox']);
  expect([code, read.mock.calls]).toEqual([0, []]);
});

test('a refused call leaves with 1 and says why on stderr', async () => {
  const refused = await runHere(['call', 'get_daily_close'], account(sandbox));
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('date is required');
});

test('tools lists each tool with its cost, and with --json what tools/list gives', async () => {
  const { code, stdout } = await runHere(['tools'], account(sandbox));
  expect(code).toBe(0);
  expect(stdout).toMatch(/^get_daily_close +\d+$/m);
  const json = await runHere(['tools', '--json'], account(sandbox));
  const connection = await serverOver('memory', { sandbox, now: Date.now });
  const { tools } = await connection.listTools();
  expect(JSON.parse(json.stdout)).toEqual({ tools });
  await connection.close();
});

test('tools with the name of one lists its parameters', async () => {
  const { stdout } = await runHere(['tools', 'get_daily_close'], account(sandbox));
  expect(stdout).toMatch(
    /^get_daily_close, about \d+ tokens; \* is required\n {2}date\* \(string\) \S/,
  );
});

test('sandbox prints the addresses and keys with which another process reaches it', async () => {
  const args = ['sandbox', '--description', 'bare'];
  const running = spawnCommand(args);
  const printed = await running.until(
    ({ stdout, stderr }) => /each secret goes with its id:\n(.*\n){8}/.exec(stdout + stderr)?.input,
  );
  const lines = [...printed.matchAll(/^(COMMERCE_\w+)=(.*)$/gm)];
  const settings = Object.fromEntries(lines.map(([, name = '', it = '']) => [name, it]));
  const { code, stdout } = await runHere(['call', 'get_me', '--json'], settings);
  expect(code).toBe(0);
  expect(parseJson(stdout)).toMatchObject({
    authorization: { role: 'owner' },
    context: { source: 'sandbox' },
  });
  const [, id = '', secret = ''] = /manager +(\S+) +(\S+)/.exec(printed) ?? [];
  const manager = { COMMERCE_CLIENT_ID: id, COMMERCE_CLIENT_SECRET: secret };
  const asManager = await runHere(['call', 'get_me', '--json'], { ...settings, ...manager });
  expect(parseJson(asManager.stdout)).toMatchObject({ authorization: { role: 'manager' } });
  const description = await (await fetch(`${settings.COMMERCE_BASE_URL}/openapi.json`)).text();
  expect(description).toContain('"/api/shop"');
  expect(description).not.toContain('application/json');
  running.signal('SIGTERM');
  expect((await running.ended).code).toBe(0);
});

test('the sandbox of a command describes itself as far as --description says', async () => {
  const { code, stdout } = await runHere(['doctor', '--description', 'none']);
  expect(stdout).toMatch(/drift .*could not be read/);
  expect(code).toBe(0);
  const { stdout: entry } = await runHere(['connect', 'cursor', '--description=bare', '--print']);
  expect(entry).toMatch(/"--sandbox",\s*"--description=bare"/);
});
