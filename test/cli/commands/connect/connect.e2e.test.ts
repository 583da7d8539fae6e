import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  clients,
  fileOf as pathOf,
  readClient,
} from '../../../../src/cli/commands/connect/clients.ts';
import { readServers } from '../../../../src/cli/commands/connect/configuration.ts';
import { connect } from '../../../../src/cli/commands/connect/connect.ts';
import { type ConnectedEntry, readEntry } from '../../../../src/cli/commands/connect/entries.ts';
import { isRecord } from '../../../../src/core/json.ts';
import { engineFor } from '../../../query-engine.ts';
import { sandboxAt } from '../../../server-over.ts';
import { folderWith } from '../../../setup/folder.ts';
import { account, environment, type Sandbox } from '../../../spawn.ts';
import { runHere } from '../../run-here.ts';

const names = clients.map(({ id }) => id);
let home: string;
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await sandboxAt({ now: Date.now });
});

beforeEach(async () => {
  home = folderWith();
  for (const id of names) await install(id);
});

/** Makes the folder that a client makes when it is first started. */
async function install(id: string): Promise<void> {
  await fs.mkdir(dirname(fileOf(id)), { recursive: true });
}

/** Runs the command line for somebody in whose home there is nothing but what a test puts there. */
function atHome(args: readonly string[], settings: Record<string, string> = {}) {
  return runHere(args, { HOME: home, USERPROFILE: home, ...settings });
}

function fileOf(id: string): string {
  return pathOf(readClient(id), { platform: process.platform, env: {}, home });
}

async function put(id: string, text: string): Promise<string> {
  const path = fileOf(id);
  await fs.mkdir(dirname(path), { recursive: true });
  await fs.writeFile(path, text);
  return path;
}

/** The entry of a configuration as the client reads it. */
function entryIn(id: string, text: string, name: string): ConnectedEntry {
  const content = readServers(readClient(id), text)[name];
  return readEntry({ client: readClient(id), name, content: isRecord(content) ? content : {} });
}

/** Starts what an entry says as a client does, and asks it something. */
async function ask({ command, args, env }: ConnectedEntry): Promise<unknown> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({ command, args: [...args], env: environment({ ...env }) }),
  );
  const input = { name: 'get_daily_close', arguments: { date: 'yesterday' } };
  const { structuredContent } = await client.callTool(input);
  await client.close();
  return structuredContent;
}

test('--print prints an entry of each client, which answers a question, and writes nothing', async () => {
  home = folderWith();
  const starts = new Map<string, ConnectedEntry>();
  for (const id of names) {
    const { code, stdout } = await atHome(['connect', id, '--sandbox', '--print']);
    expect(code).toBe(0);
    const entry = entryIn(id, stdout, 'commerce-sandbox');
    starts.set(JSON.stringify([entry.command, entry.args, entry.env]), entry);
    const settings = { ...account(sandbox), COMMERCE_CLIENT_SECRET: 'a-secret-word' };
    const real = await atHome(['connect', id, '--print'], settings);
    expect(real.stdout).toContain(sandbox.baseUrl);
    expect(real.stdout + real.stderr).not.toContain('a-secret-word');
    expect(real.stderr).toContain(fileOf(id));
  }
  // Most clients are given the same start.
  for (const entry of starts.values())
    expect(await ask(entry)).toMatchObject({ context: { source: 'sandbox' } });
  expect(await fs.readdir(home)).toEqual([]);
});

test('connect writes an account, the copy of what was there and a secret for its owner alone; disconnect takes all out', async () => {
  const text = await fs.readFile(new URL('./fixtures/claude-code.json', import.meta.url), 'utf8');
  const path = await put('claude-code', text);
  await fs.chmod(path, 0o640);
  const folder = join(home, '.config', 'commerce-mcp');
  await fs.mkdir(folder, { recursive: true });
  await fs.chmod(folder, 0o777);
  const given = ['connect', 'claude-code', '--yes'];
  const { code, stdout, stderr } = await atHome(given, account(sandbox));
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^All is well, of \d+ checks\.$/m);
  expect(stdout).toMatch(/Next: .*\nThen ask, in your own words:\n/);
  const written = await fs.readFile(path, 'utf8');
  expect(written + stdout + stderr).not.toContain(sandbox.clientSecret);
  const [, copy = ''] = /The old version is in (.+\.bak)/.exec(stderr) ?? [];
  expect(await fs.readFile(copy, 'utf8')).toBe(text);
  const entry = entryIn('claude-code', written, 'commerce');
  const secret = entry.env.COMMERCE_CLIENT_SECRET_FILE ?? '';
  const modes = await Promise.all([path, secret, folder].map((it) => fs.stat(it)));
  expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o640, 0o600, 0o700]);
  expect(await ask(entry)).toMatchObject({ context: { source: 'sandbox' } });
  const again = await atHome(given, account(sandbox));
  expect(again.stdout).toContain('has this entry already');
  expect(await fs.readFile(path, 'utf8')).toBe(written);
  const gone = await atHome(['disconnect', 'claude-code', '--yes']);
  expect([gone.code, gone.stdout]).toEqual([0, expect.stringContaining('secret is gone too')]);
  const left = readServers(readClient('claude-code'), await fs.readFile(path, 'utf8'));
  expect(left).toEqual(readServers(readClient('claude-code'), text));
});

test('connect prints the entry of Codex, keeps its secret, and leaves the file to a person', async () => {
  const path = await put('codex', '');
  const { code, stdout, stderr } = await atHome(['connect', 'codex', '--yes'], account(sandbox));
  expect(code).toBe(0);
  expect(stderr).toContain(`Nothing was written to ${path}: put these lines into it.`);
  expect(await fs.readFile(path, 'utf8')).toBe('');
  const [, printed = ''] = /^All is well, .*\n([\s\S]*?)\n\nNext: /.exec(stdout) ?? [];
  const { COMMERCE_CLIENT_SECRET_FILE: secret = '' } = entryIn('codex', printed, 'commerce').env;
  expect(await fs.readFile(secret, 'utf8')).toBe(`${sandbox.clientSecret}\n`);
  await fs.writeFile(path, printed);
  const again = await atHome(['connect', 'codex', '--yes'], account(sandbox));
  expect(again.stdout).toContain('has this entry already');
  const gone = await atHome(['disconnect', 'codex', '--yes']);
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('commerce out of')]);
});

test('connect keeps no secret in a folder that is a link', async () => {
  await fs.symlink(tmpdir(), join(home, '.config', 'commerce-mcp'));
  const { code, stderr } = await atHome(['connect', 'cursor', '--yes'], account(sandbox));
  expect([code, stderr]).toEqual([1, expect.stringContaining('is a link or belongs to')]);
});

test('connect keeps the settings of the line, a folder by its whole path, and the flags that a person added', async () => {
  const path = await put('cursor', '{}');
  const given = ['connect', 'cursor', '--sandbox', '--yes'];
  await atHome([...given, '--definitions', 'own/tables'], {
    COMMERCE_KEEP_DIR: 'lines',
    COMMERCE_FILES_DIR: '',
  });
  const read = async () => JSON.parse(await fs.readFile(path, 'utf8')).mcpServers;
  const { 'commerce-sandbox': entry } = await read();
  const folders = {
    COMMERCE_DEFINITIONS: resolve('own/tables'),
    COMMERCE_KEEP_DIR: resolve('lines'),
  };
  expect(entry.env).toEqual(folders);
  const [program, ...flags] = entry.args;
  const changed = { ...entry, args: [program, '--toolsets', 'reports', ...flags] };
  await fs.writeFile(path, JSON.stringify({ mcpServers: { 'commerce-sandbox': changed } }));
  await atHome([...given, '--max-rows', '500']);
  expect((await read())['commerce-sandbox']).toMatchObject({
    args: changed.args,
    env: { ...folders, COMMERCE_MAX_ROWS: '500' },
  });
});

test('connect writes nothing that nobody agreed to', async () => {
  const path = await put('cursor', '{}\n');
  const { code, stderr } = await atHome(['connect', 'cursor', '--sandbox']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('add --yes')]);
  expect(await fs.readFile(path, 'utf8')).toBe('{}\n');
});

test('connect leaves a broken file as it is, and says the line', async () => {
  const broken = '{\n  "mcpServers": {\n';
  const path = await put('cursor', broken);
  for (const command of ['connect', 'disconnect']) {
    const { code, stderr } = await atHome([command, 'cursor', '--sandbox', '--yes']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/mcp\.json was not changed: line 3: .*--print/);
  }
  expect(await fs.readFile(path, 'utf8')).toBe(broken);
  expect(await fs.readdir(dirname(path))).toHaveLength(1);
});

test('connect without a client shows which are here and how they stand', async () => {
  home = folderWith();
  await install('gemini');
  await put('cursor', '{}');
  await put('goose', 'a: [');
  await atHome(['connect', 'gemini', '--sandbox', '--yes']);
  const { code, stdout } = await atHome(['connect']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^cursor +not connected /m);
  expect(stdout).toMatch(/^gemini +connected as commerce-sandbox /m);
  expect(stdout).toMatch(/^goose +its configuration is broken /m);
  expect(stdout).toMatch(/^windsurf +not found here /m);
  expect(stdout).toMatch(/^Connect it: .* connect cursor$/m);
});

test('connect without a client names the first one that is here and not connected', async () => {
  home = folderWith();
  expect((await atHome(['connect'])).stdout).toContain('No other client is here.');
  for (const id of ['claude-desktop', 'gemini']) await install(id);
  const { stdout } = await atHome(['connect']);
  expect(stdout).toMatch(/^Connect it: .* connect claude-desktop$/m);
  await atHome(['connect', 'claude-desktop', '--sandbox', '--yes']);
  expect((await atHome(['connect'])).stdout).toMatch(/^Connect it: .* connect gemini$/m);
});

test('a client that is not here gets no entry that nobody confirms, whatever --yes says', async () => {
  home = folderWith();
  const { code, stderr } = await atHome(['connect', 'cursor', '--sandbox', '--yes']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/Cursor was not found here: .*mcp\.json .*connect cursor --print/);
  expect(await fs.readdir(home)).toEqual([]);
});

test.each<[string, settings: Record<string, string>, check: string]>([
  ['a wrong secret', { COMMERCE_CLIENT_SECRET: 'wrong' }, 'exchange'],
  ['a server of nobody', { COMMERCE_AUTH_URL: 'http://127.0.0.1:1' }, 'discovery'],
  ['a platform of nobody', { COMMERCE_BASE_URL: 'http://127.0.0.1:1' }, 'role'],
])(
  'connect checks the key before it writes: %s leaves everything as it was',
  async (_, wrong, check) => {
    const path = await put('cursor', '{}\n');
    for (const id of ['cursor', 'codex']) {
      const given = { ...account(sandbox), ...wrong };
      const { code, stdout } = await atHome(['connect', id, '--yes'], given);
      expect(code).toBe(1);
      expect(stdout).toMatch(new RegExp(`^FAILED +${check}`));
      expect(stdout).toMatch(/\nNothing was written\.\n$/);
      expect(stdout).not.toMatch(/knows commerce|mcp_servers/);
    }
    expect(await fs.readFile(path, 'utf8')).toBe('{}\n');
    expect(await fs.readdir(join(home, '.config'))).not.toContain('commerce-mcp');
  },
);

const url = ['--url', 'https://mcp.example.com/mcp'];

test.each<[args: string[], says: string]>([
  [['connect', 'curser'], 'There is no client curser. Did you mean cursor?'],
  [['connect', 'claude'], 'claude-desktop (the app) or claude-code (the command line)'],
  [['connect', 'chatgpt'], 'as a connector in ChatGPT'],
  [['connect', 'cursor', '--name', 'a b', '--print'], '--name takes'],
  [['connect', 'cursor', '--url', 'http://example.com/mcp'], '--url must be https'],
  [['connect', 'cursor', ...url], 'set COMMERCE_MCP_TOKEN'],
  [['connect', 'codex', ...url, '--yes'], 'set COMMERCE_MCP_TOKEN'],
  [['connect', 'cursor', '--yes'], 'COMMERCE_BASE_URL is missing'],
  [['connect', 'cursor', '--sandbox', '--keep-mb', 'all'], 'must be a whole number'],
  [['doctor', 'cursor'], 'Cursor does not start this server yet'],
])('%j is wrong usage', async (args, says) => {
  const { code, stdout, stderr } = await atHome(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(says);
});

/** Connects Cursor with the answers of a person; gives the questions. */
async function answer(answers: string[], flags = {}): Promise<{ asked: string[]; code: number }> {
  const asked: string[] = [];
  const given = { flags, env: {}, ...engineFor({}) };
  vi.stubEnv('HOME', home);
  vi.spyOn(console, 'log').mockReturnValue();
  vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  const code = await connect({ operands: ['cursor'], ...given }, async (question) => {
    asked.push(question.split(/, (?:such|which)| \[/)[0] ?? '');
    return answers.shift() ?? expect.unreachable(question);
  });
  return { asked, code };
}

test('the questions of connect check each answer, and ask again for what the account refuses alone', async () => {
  const { baseUrl, authUrl, clientId, clientSecret } = sandbox;
  const nobody = 'http://127.0.0.1:1';
  const [address, server] = ['Platform address', 'Authorization server of the account'];
  const [id, secret] = ['Client id of the API key', 'Client secret of the API key'];
  const exchange = [
    ...[address, '', address, 'not an address', address, nobody, server, nobody],
    ...[id, '"ck"', id, clientId, secret, 'wrong'],
    ...[server, authUrl, secret, clientSecret, address, baseUrl, 'Write this?', 'y'],
  ];
  const answers = exchange.filter((_, index) => index % 2 === 1);
  const { asked, code } = await answer(answers);
  expect([code, answers]).toEqual([0, []]);
  expect(asked).toEqual(exchange.filter((_, index) => index % 2 === 0));
  // The values of an entry are offered: an empty answer keeps each.
  expect(await answer(['', '', '', ''])).toMatchObject({ code: 0 });
});

test.each([
  ['n', 1],
  ['y', 0],
])('connect asks about a client that is not here, with --yes too: %s', async (typed, code) => {
  home = folderWith();
  const { asked, ...ended } = await answer([typed], { sandbox: 'true', yes: 'true' });
  expect([asked, ended]).toEqual([['Go on all the same?'], { code }]);
  expect(await fs.readdir(home)).toEqual(code === 0 ? ['.cursor'] : []);
});

test('a connected account is what doctor, call and tools use where no other is named', async () => {
  await atHome(['connect', 'gemini', '--sandbox', '--yes']);
  const checked = await atHome(['doctor', '--all']);
  expect(checked.stdout).toMatch(/^commerce-sandbox in Gemini CLI\nok {7}start .* tools\n/);
  const invented = await atHome(['call', 'list_shops']);
  expect(invented.code).toBe(0);
  expect(invented.stderr).toMatch(/^With the account of commerce-sandbox in Gemini CLI\.\n/);
  for (const id of ['cursor', 'windsurf']) await atHome(['connect', id, '--yes'], account(sandbox));
  const { code, stdout } = await atHome(['doctor', 'cursor', '--json', '--sandbox']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('"commerce in Cursor: start"')]);
  expect(stdout).toContain(`API ${sandbox.baseUrl}`);

  const call = ['call', 'get_daily_close', 'date=yesterday', '--json'];
  const found = await atHome(call);
  expect(found.stderr).toContain('With the account of commerce in Cursor and Windsurf.');
  expect(JSON.parse(found.stdout)).toMatchObject({ context: { source: 'sandbox' } });

  const clerk = account(sandbox, sandbox.keys.clerk);
  await atHome(['connect', 'cursor', '--yes', '--name', 'second'], clerk);
  const unclear = await atHome(call);
  expect(unclear).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Several accounts .*commerce and second in Cursor/),
  });
});

test('doctor says what to do where a connected server does not start', async () => {
  const broken = { command: process.execPath, args: ['/moved/dist/cli.js'] };
  await put('cursor', JSON.stringify({ mcpServers: { commerce: broken } }));
  const { code, stdout } = await atHome(['doctor', 'cursor']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/FAILED {3}start .*Cannot find module/);
  expect(stdout).toMatch(/-> Was this program moved .* connect cursor --name commerce/);
});

test('disconnect takes the account out first, and then the sandbox', async () => {
  await atHome(['connect', 'cursor', '--sandbox', '--yes']);
  await atHome(['connect', 'cursor', '--yes'], account(sandbox));
  const first = await atHome(['disconnect', 'cursor', '--yes']);
  expect(first.stdout).toContain('no longer knows commerce.');
  expect(first.stdout).toContain('commerce-sandbox is still there: ');
  const second = await atHome(['disconnect', 'cursor', '--yes']);
  expect(second.stdout).toContain('no longer knows commerce-sandbox.');
  expect((await atHome(['disconnect', 'cursor', '--yes'])).stdout).toContain('has no entry');
});

test('disconnect keeps a secret that another client still reads', async () => {
  for (const id of ['cursor', 'gemini']) await atHome(['connect', id, '--yes'], account(sandbox));
  const first = await atHome(['disconnect', 'cursor', '--yes']);
  expect(first.stdout).not.toContain('secret');
  expect((await atHome(['disconnect', 'gemini', '--yes'])).stdout).toContain('secret is gone');
});

test('a byte-order mark is a failure for Claude Desktop, and connect writes the file without it', async () => {
  await atHome(['connect', 'claude-desktop', '--sandbox', '--yes']);
  const path = fileOf('claude-desktop');
  const written = await fs.readFile(path, 'utf8');
  await fs.writeFile(path, `\ufeff${written}`);
  const { code, stdout } = await atHome(['doctor', 'claude-desktop', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)[0]).toMatchObject({
    check: 'commerce-sandbox in Claude Desktop: file',
    ok: false,
    detail: expect.stringContaining('connect claude-desktop --name commerce-sandbox writes it'),
  });
  await atHome(['connect', 'claude-desktop', '--sandbox', '--yes']);
  expect(await fs.readFile(path, 'utf8')).toBe(written);
});

test('--url writes the entry of a server over HTTP, with the token where that client keeps headers', async () => {
  const url = 'http://127.0.0.1:1/mcp';
  const path = await put('gemini', '{}');
  await fs.chmod(path, 0o644);
  const token = { COMMERCE_MCP_TOKEN: 'a-token-word' };
  const done = await atHome(['connect', 'gemini', '--url', url, '--yes'], token);
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('knows commerce now')]);
  expect(done.stdout + done.stderr).not.toContain('a-token-word');
  const commerce = { httpUrl: url, headers: { Authorization: 'Bearer a-token-word' } };
  expect(JSON.parse(await fs.readFile(path, 'utf8'))).toEqual({ mcpServers: { commerce } });
  expect((await fs.stat(path)).mode & 0o777).toBe(0o600);
});

test.each<[string, says: string]>([
  ['codex', 'bearer_token_env_var = "COMMERCE_MCP_TOKEN"'],
  ['claude-desktop', 'Settings, Connectors, Add custom connector'],
  ['claude-desktop', '\n       https://mcp.example.com/mcp\n'],
])('--url says how %s is told of a server over HTTP', async (id, says) => {
  const url = 'https://mcp.example.com/mcp';
  const { code, stdout, stderr } = await atHome(['connect', id, '--url', url, '--print']);
  expect([code, stdout]).toEqual([0, expect.stringContaining(says)]);
  const takesToken = stdout.includes('COMMERCE_MCP_TOKEN');
  expect(stderr.includes('from the variable COMMERCE_MCP_TOKEN')).toBe(takesToken);
});
