import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse as parseToml } from 'smol-toml';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { listClients } from '../../../../src/cli/commands/connect/clients.ts';
import type { FormatName } from '../../../../src/cli/commands/connect/formats/format.ts';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/sandbox.ts';
import { account, environment } from '../../../mcp/spawn.ts';
import { runHere } from '../../run-here.ts';
import { fixtures } from './fixtures.ts';

/** What every client needs to start a server, in its own words for it. */
const startable = z.union([
  z.looseObject({
    command: z.string(),
    args: z.array(z.string()),
    env: z.record(z.string(), z.string()).default({}),
  }),
  z
    .looseObject({
      cmd: z.string(),
      args: z.array(z.string()),
      envs: z.record(z.string(), z.string()),
    })
    .transform(({ cmd, args, envs }) => ({ command: cmd, args, env: envs })),
]);

const readers: Record<FormatName, (text: string) => Record<string, unknown>> = {
  json: (text) => JSON.parse(text),
  toml: (text) => parseToml(text),
  yaml: (text) => parseYaml(text),
};

const names = listClients().map(({ id }) => id);
let home: string;
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.close());

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'home-'));
});

afterEach(() => rm(home, { recursive: true }));

/** Runs the command line for somebody whose home is empty but for what a test puts there. */
function atHome(args: readonly string[], settings: Record<string, string> = {}) {
  return runHere(args, {
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: '',
    APPDATA: '',
    ...settings,
  });
}

function fileOf(id: string): string {
  const { client } = listClients().find((it) => it.id === id) ?? expect.unreachable(id);
  return client.file({ platform: process.platform, env: {}, home });
}

async function put(id: string, text: string): Promise<string> {
  const path = fileOf(id);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

/** The entry of a configuration as the client reads it. */
function entryIn(id: string, text: string, name: string) {
  const { client } = listClients().find((it) => it.id === id) ?? expect.unreachable(id);
  const servers = z
    .record(z.string(), z.unknown())
    .parse(readers[client.format](text)[client.servers]);
  const { command, args, env } = startable.parse(servers[name]);
  return { command, args, env };
}

/** What each start of a server was answered: most clients are given the same one, which is started once. */
const answers = new Map<string, Promise<unknown>>();

/** Starts what an entry says as a client does, and asks it something. */
function ask(entry: z.output<typeof startable>): Promise<unknown> {
  const start = JSON.stringify(entry);
  const answer = answers.get(start) ?? askNew(entry);
  answers.set(start, answer);
  return answer;
}

async function askNew({ command, args, env }: z.output<typeof startable>): Promise<unknown> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command, args, env: environment(env) }));
  try {
    const input = { date: 'yesterday' };
    const { structuredContent } = await client.callTool({
      name: 'get_daily_close',
      arguments: input,
    });
    return structuredContent;
  } finally {
    await client.close();
  }
}

describe('connect --print', () => {
  test.each(names)(
    'prints an entry of %s that answers a question, and writes nothing',
    async (id) => {
      const { code, stdout } = await atHome(['connect', id, '--sandbox', '--print']);
      expect(code).toBe(0);
      const answer = await ask(entryIn(id, stdout, 'commerce-sandbox'));
      expect(answer).toMatchObject({ context: { source: 'sandbox' } });
      expect(await readdir(home)).toEqual([]);
    },
  );

  test.each(names)('prints an entry of %s for an account without its secret', async (id) => {
    const settings = { ...account(sandbox), COMMERCE_CLIENT_SECRET: 'a-secret-word' };
    const { code, stdout, stderr } = await atHome(['connect', id, '--print'], settings);
    expect(code).toBe(0);
    expect(stdout).toContain(sandbox.baseUrl);
    expect(stdout + stderr).not.toContain('a-secret-word');
    expect(stderr).toContain(fileOf(id));
    expect(await readdir(home)).toEqual([]);
  });
});

describe('connect', () => {
  test.each(fixtures.map(({ id, text }) => [id, text] as const))(
    'puts an account into the configuration of %s, and disconnect takes it out again',
    async (id, text) => {
      const path = await put(id, text);
      const { code, stdout, stderr } = await atHome(
        ['connect', id, '--yes', '--secret-from', 'file'],
        account(sandbox),
      );
      expect(code, stdout + stderr).toBe(0);
      expect(stdout).toMatch(/ok {6} exchange/);
      expect(stdout).toContain('Next: ');
      const written = await readFile(path, 'utf8');
      expect(written + stdout + stderr).not.toContain(sandbox.clientSecret);
      const [copy = ''] = (await readdir(dirname(path))).filter((name) => name.endsWith('.bak'));
      expect(await readFile(join(dirname(path), copy), 'utf8')).toBe(text);

      const gone = await atHome(['disconnect', id, '--yes']);
      expect(gone.code).toBe(0);
      expect(gone.stdout).toContain('Its secret is gone too');
      expect(await readFile(path, 'utf8')).toBe(text);
    },
  );

  test('leaves a secret that its owner alone reads, and an entry that answers with it', async () => {
    const path = await put('claude-desktop', '{}\n');
    const given = ['connect', 'claude-desktop', '--yes'];
    await atHome(given, account(sandbox));
    const written = await readFile(path, 'utf8');
    const again = await atHome(given, account(sandbox));
    expect(again.stdout).toContain('has this entry already');
    expect(await readFile(path, 'utf8')).toBe(written);
    const entry = entryIn('claude-desktop', written, 'commerce');
    const secret = entry.env.COMMERCE_CLIENT_SECRET_FILE ?? '';
    expect((await stat(secret)).mode & 0o777).toBe(0o600);
    expect(await ask(entry)).toMatchObject({ context: { source: 'sandbox' } });
  });

  test('keeps a secret that another client still reads', async () => {
    for (const id of ['cursor', 'codex']) await atHome(['connect', id, '--yes'], account(sandbox));
    const first = await atHome(['disconnect', 'cursor', '--yes']);
    expect(first.stdout).not.toContain('secret');
    expect((await atHome(['disconnect', 'codex', '--yes'])).stdout).toContain('Its secret is gone');
  });

  test('leaves the secret to VS Code, which asks for it', async () => {
    const path = await put('vscode', '');
    const { code, stdout } = await atHome(['connect', 'vscode', '--yes'], account(sandbox));
    expect(code).toBe(0);
    expect(stdout).toContain('VS Code asks for it once');
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
      inputs: [{ id: 'commerce-client-secret', password: true }],
      servers: {
        commerce: { env: { COMMERCE_CLIENT_SECRET: `\${input:commerce-client-secret}` } },
      },
    });
  });

  test('says what fails with a key that is refused, and that the entry is there', async () => {
    const settings = { ...account(sandbox), COMMERCE_CLIENT_SECRET: 'a-wrong-word' };
    const { code, stdout } = await atHome(['connect', 'cursor', '--yes'], settings);
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAILED {3}exchange/);
    expect(stdout).toContain('Put right what failed, then: ');
  });

  test('writes nothing that nobody agreed to', async () => {
    const path = await put('cursor', '{}\n');
    const { code, stderr } = await atHome(['connect', 'cursor', '--sandbox']);
    expect(code).toBe(2);
    expect(stderr).toContain('add --yes');
    expect(await readFile(path, 'utf8')).toBe('{}\n');
  });

  test('leaves a broken file as it is, and says the line', async () => {
    const broken = '{\n  "mcpServers": {\n';
    const path = await put('cursor', broken);
    const { code, stderr } = await atHome(['connect', 'cursor', '--sandbox', '--yes']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/mcp\.json was left as it is: line 3: .*--print/);
    expect(await readFile(path, 'utf8')).toBe(broken);
    expect(await readdir(dirname(path))).toHaveLength(1);
  });

  test('without a client shows which are here and how they stand', async () => {
    await put('cursor', '{}');
    await put('goose', 'a: [');
    await atHome(['connect', 'codex', '--sandbox', '--yes']);
    const { code, stdout } = await atHome(['connect']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^cursor +not connected /m);
    expect(stdout).toMatch(/^codex +connected as commerce-sandbox /m);
    expect(stdout).toMatch(/^goose +its configuration is broken /m);
    expect(stdout).toMatch(/Not found here: .*windsurf/);
  });

  test.each<[args: string[], says: string]>([
    [['connect', 'curser'], 'There is no client curser. Did you mean cursor?'],
    [['connect', 'cursor', 'codex'], 'one client at a time'],
    [['connect', 'cursor', '--name', 'a b', '--print'], '--name takes'],
    [['connect', 'claude-desktop', '--print', '--secret-from', 'client'], 'keeps no secrets'],
    [['connect', '--print'], '--print needs a client'],
    [['disconnect'], 'disconnect needs a client'],
    [['connect', 'cursor', '--yes'], 'COMMERCE_BASE_URL is missing'],
  ])('%j is wrong usage', async (args, says) => {
    const { code, stdout, stderr } = await atHome(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
  });
});
