import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { entryOf } from '../mcp/http/accounts-server.ts';
import { sandboxAt } from '../server-over.ts';
import { folderWith } from '../setup/folder.ts';
import type { Sandbox } from '../spawn.ts';
import { runHere } from './run-here.ts';

let sandbox: Sandbox;
let settings: Record<string, string>;
let home: string;

beforeAll(async () => {
  sandbox = await sandboxAt({ now: Date.now, ordersPerDay: 10, days: 60 });
  home = folderWith();
  settings = { COMMERCE_ACCOUNTS_FILE: join(home, 'accounts.yaml'), HOME: home };
  await write({});
});

/** Two accounts that work, one of them bound to a location. */
function write(more: Record<string, unknown>) {
  const accounts = { utrecht: entryOf(sandbox), 'store.2': entryOf(sandbox, sandbox.keys.manager) };
  return writeFile(join(home, 'accounts.yaml'), JSON.stringify({ accounts, ...more }));
}

test('a command takes the account that is named, or the default', async () => {
  const call = ['call', 'list_locations', '--json'];
  const store = await runHere([...call, '--account', 'store.2'], settings);
  expect(JSON.parse(store.stdout)).toMatchObject({ count: 1, context: { account: 'store.2' } });
  await write({ default: 'utrecht' });
  const { stdout } = await runHere(call, settings);
  expect(JSON.parse(stdout)).toMatchObject({ count: 3, context: { account: 'utrecht' } });
  await write({});
});

test.each([
  [['call', 'list_shops'], /No account is named.*utrecht, store.2/],
  [['query', 'SELECT 1', '--account', 'gouda'], /no account gouda.*utrecht, store.2/],
  [['call', 'list_shops', '--account', 'utrecht', '--sandbox'], /leave out --sandbox/],
  [['tools', '--account', 'utrecht', '--client-id', 'x'], /--client-id is of one account/],
])('%j over several accounts is refused with what to do', async (args, problem) => {
  const { code, stderr } = await runHere(args, settings);
  expect(code).toBe(2);
  expect(stderr).toMatch(problem);
});

test('--account without a file names the setting', async () => {
  const { code, stderr } = await runHere(['call', 'list_shops', '--account', 'utrecht']);
  expect(code).toBe(2);
  expect(stderr).toContain('set COMMERCE_ACCOUNTS_FILE');
});

test('http refuses more accounts that stay open than may be open', async () => {
  const entry = { ...entryOf(sandbox), fill: 'yesterday' };
  const entries = Array.from({ length: 50 }, (_, at) => [`shop-${at}`, entry]);
  await write({ accounts: Object.fromEntries(entries) });
  const { code, stderr } = await runHere(['http'], { ...settings, COMMERCE_KEEP_DIR: home });
  expect(code).toBe(2);
  expect(stderr).toContain('has fill for 50 accounts: they stay open, and at most 49 can');
  await write({});
});

test('doctor checks every account and fails by name, or one that is named', async () => {
  const revoked = { ...entryOf(sandbox), client_secret: 'revoked-in-june' };
  const accounts = { utrecht: entryOf(sandbox), gouda: revoked };
  await write({ accounts });
  const all = await runHere(['doctor'], settings);
  expect(all.code).toBe(1);
  expect(all.stdout).toContain('utrecht\nAll is well, of 13 checks.\n');
  expect(all.stdout).toMatch(/^gouda\nFAILED +exchange/m);
  expect(all.stdout).toContain('Failed: gouda, of 2 accounts.');
  expect(all.stdout + all.stderr).not.toContain('revoked-in-june');
  const { stdout } = await runHere(['doctor', '--json'], settings);
  const failed = JSON.parse(stdout).filter(({ ok }: { ok: boolean }) => !ok);
  expect(failed).toEqual([expect.objectContaining({ check: 'gouda: exchange' })]);
  expect((await runHere(['doctor', '--account', 'utrecht'], settings)).code).toBe(0);
  await write({});
});

test('doctor says what is wrong with the file of accounts', async () => {
  const folder = { ...settings, COMMERCE_ACCOUNTS_FILE: home };
  const { code, stdout } = await runHere(['doctor'], folder);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /FAILED +configuration +COMMERCE_ACCOUNTS_FILE cannot be read: It is no plain/,
  );
});

test('connect writes an entry for each account, which stand side by side', async () => {
  // Cursor is on this machine: its folder is there.
  await mkdir(join(home, '.cursor'));
  for (const account of ['utrecht', 'store.2']) {
    const args = ['connect', 'cursor', '--account', account, '--yes'];
    const { code, stdout } = await runHere(args, settings);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^(All is well|12 of 13 checks are well)/m);
  }
  const written = JSON.parse(await readFile(join(home, '.cursor/mcp.json'), 'utf8'));
  expect(Object.keys(written.mcpServers)).toEqual(['commerce-utrecht', 'commerce-store-2']);
  const { args, env } = written.mcpServers['commerce-store-2'];
  expect(args.slice(-2)).toEqual(['--account', 'store.2']);
  expect(env).toEqual({
    COMMERCE_ACCOUNTS_FILE: join(home, 'accounts.yaml'),
    COMMERCE_FILES_DIR: expect.any(String),
  });
  const call = ['call', 'list_locations', '--json'];
  const unclear = await runHere(call, { HOME: home });
  expect([unclear.code, unclear.stderr]).toEqual([2, expect.stringContaining('commerce-store-2')]);
  await runHere(['disconnect', 'cursor', '--name', 'commerce-utrecht', '--yes'], { HOME: home });
  const { stdout } = await runHere(call, { HOME: home });
  expect(JSON.parse(stdout)).toMatchObject({ count: 1, context: { account: 'store.2' } });
});
