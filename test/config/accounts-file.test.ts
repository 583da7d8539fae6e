import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { followAccounts, readAccounts } from '../../src/config/accounts-file.ts';
import { type ConfigError, type ConfigProblem, readServerConfig } from '../../src/config/config.ts';
import { settingMessages } from '../../src/config/messages.ts';
import { toolsets } from '../../src/endpoints/define.ts';
import { folderWith } from '../setup/folder.ts';

let folder: string;
let path: string;

beforeAll(async () => {
  folder = folderWith({ 'utrecht.secret': 'horse-battery\n', 'empty.secret': '\n' });
  path = join(folder, 'accounts.yaml');
});

const server = readServerConfig({ env: {} });

async function reading(text: string, of = server) {
  await writeFile(path, text);
  return readAccounts(path, of);
}

/** An account in the words of the file, with other lines in place of some or behind them. */
function accountWith(lines: Record<string, string | undefined> = {}): string {
  const all = {
    base_url: 'https://api.example.com',
    auth_url: 'https://auth.example.com',
    client_id: 'cpk_gouda.1a2b',
    client_secret: 'correct-horse',
    ...lines,
  };
  const text = Object.entries(all).flatMap(([key, it]) => (it ? [`    ${key}: ${it}`] : []));
  return ['accounts:', '  utrecht:', ...text, ''].join('\n');
}

test('an account has addresses, key and secret of its own; all else is the server’s', async () => {
  const of = readServerConfig({ env: { COMMERCE_MAX_ROWS: '7', COMMERCE_KEEP_DIR: folder } });
  const { accounts } = await reading(accountWith(), of);
  expect(of.maxRows).toBe(7);
  expect(accounts.get('utrecht')).toEqual({
    ...of,
    name: 'utrecht',
    clientId: 'cpk_gouda.1a2b',
    clientSecret: 'correct-horse',
    toolsets,
    baseUrl: 'https://api.example.com',
    authUrl: 'https://auth.example.com',
    keepDir: join(folder, 'account-utrecht'),
  });
});

test('an account has its secret from a file, its definitions beside the file, and fewer toolsets', async () => {
  const more = { client_secret: undefined, client_secret_file: 'utrecht.secret' };
  const { accounts } = await reading(
    accountWith({ ...more, definitions: 'own', toolsets: '[orders]', fill: 'last_90_days' }),
    readServerConfig({ env: { COMMERCE_KEEP_DIR: folder } }),
  );
  expect(accounts.get('utrecht')).toMatchObject({
    clientSecret: 'horse-battery',
    definitions: join(folder, 'own'),
    toolsets: ['orders'],
    fill: 'last_90_days',
  });
});

const inFile = (file: string) => ({ client_secret: undefined, client_secret_file: file });
const unlike = (text: string, other: string) => accountWith().replace(text, other);
const endless = `a: &a [x, x]\nb: &b [${'*a, '.repeat(20)}]\naccounts: [${'*b, '.repeat(20)}]`;
type Lines = Parameters<typeof accountWith>[0];

test.each<
  [what: string, content: string | Lines, problem: [line: number | undefined, code: string]]
>([
  ['an http address', { base_url: 'http://a.example.com' }, [3, 'must_be_https']],
  ['an address that is none', { auth_url: 'there' }, [4, 'must_be_address']],
  ['no address', { auth_url: undefined }, [3, 'missing_setting']],
  ['an unknown toolset', { toolsets: '[orders, sales]' }, [7, 'not_of_kind']],
  ['no toolset', { toolsets: '[]' }, [7, 'names_no_toolset']],
  ['a period that is none', { fill: 'ever' }, [7, 'not_a_period']],
  ['lines that no folder keeps', { fill: 'yesterday' }, [7, 'fill_without_folder']],
  ['both secrets', { client_secret_file: 'utrecht.secret' }, [6, 'two_secrets']],
  ['neither secret', { client_secret: undefined }, [3, 'missing_setting']],
  ['a secret file that is not there', inFile('no.secret'), [6, 'unreadable_file']],
  ['an empty secret file', inFile('empty.secret'), [6, 'names_empty_file']],
  ['another setting', { colour: 'red' }, [3, 'not_account_settings']],
  ['a name with other characters', unlike('utrecht', '"ut recht"'), [3, 'bad_account_name']],
  ['a name that is too long', unlike('utrecht', 'u'.repeat(41)), [3, 'bad_account_name']],
  ['a default that is none', `${accountWith()}default: gouda`, [7, 'unknown_default']],
  ['two accounts of one name', `${accountWith()}  utrecht: {}`, [7, 'broken_yaml']],
  ['what is no YAML', 'accounts: [', [1, 'broken_yaml']],
  ['a list', '- accounts', [1, 'must_be']],
  ['no account', 'accounts: {}', [undefined, 'names_no_account']],
  ['aliases without end', endless, [undefined, 'broken_yaml']],
])(
  'an account with %s is refused by its line and without the secret',
  async (_, content, problem) => {
    const text = typeof content === 'string' ? content : accountWith(content);
    const error = await reading(text).then(
      () => expect.unreachable('it was accepted'),
      (it: ConfigError) => it,
    );
    expect(error.problems.map(({ name }) => name)).toContain('COMMERCE_ACCOUNTS_FILE');
    expect(error.problems.map((it) => placeOf(it))).toContainEqual(problem);
    expect(error.message).not.toMatch(/correct-horse|horse-battery/);
  },
);

test('a secret that makes the file no YAML is not shown', async () => {
  for (const form of ['"WORD', "'WORD", '}WORD', '&WORD *x', '*WORD', '@WORD']) {
    const text = accountWith({ client_secret: form.replace('WORD', 'correct-horse') });
    expect(await reading(text).then(() => '', String)).not.toContain('horse');
  }
});

test('an account has no toolset that the server leaves out', async () => {
  const of = readServerConfig({ env: { COMMERCE_TOOLSETS: 'orders' } });
  const problem = settingMessages.toolsets_left_out({ toolsets: ['reports'] }).text;
  await expect(reading(accountWith({ toolsets: '[reports]' }), of)).rejects.toMatchObject({
    problems: [{ problem: { code: 'in_line', line: 7, problem } }],
  });
  const { accounts } = await reading(accountWith(), of);
  expect(accounts.get('utrecht')?.toolsets).toEqual(['orders']);
});

test('a followed file keeps accounts that did not change, and all of them where it names none', async () => {
  await writeFile(path, accountWith());
  const told: unknown[] = [];
  const source = await followAccounts(path, server, {
    info: ({ accounts }) => told.push(accounts),
    error: ({ reason }) => told.push(reason),
  });
  const before = (await source.refresh([])).accounts.get('utrecht');
  const two = `${accountWith()}${accountWith().replace('accounts:\n', '').replace('utrecht', 'gouda')}`;
  await writeFile(path, two);
  const { accounts } = await source.refresh(['utrecht']);
  expect(accounts.get('utrecht')).toBe(before);
  expect([...accounts.keys()]).toEqual(['utrecht', 'gouda']);
  await rm(path);
  expect(await source.refresh([])).toEqual({ accounts, default: undefined });
  expect(await source.refresh([])).toEqual({ accounts, default: undefined });
  expect(source.problem).toContain('stay as they were');
  await writeFile(path, 'accounts: {}');
  expect((await source.refresh([])).accounts).toBe(accounts);
  expect(source.problem).toContain('stay as they were');
  const [, ...reasons] = told;
  expect(told[0]).toBe(2);
  expect(reasons).toMatchObject(
    ['ENOENT', 'names_no_account'].map((it) => ({ message: expect.stringContaining(it) })),
  );
});

test('a refused file is not parsed again while nothing of it changes', async () => {
  await writeFile(path, accountWith());
  let parsed = 0;
  const counted = new Proxy(server, {
    get: (settings, key, self) => {
      if (key === 'toolsets') parsed++;
      return Reflect.get(settings, key, self);
    },
  });
  const source = await followAccounts(path, counted, { info() {}, error() {} });
  const lost = accountWith({ client_secret: undefined, client_secret_file: 'lost.secret' });
  await writeFile(path, lost);
  await source.refresh([]);
  const once = parsed;
  for (let request = 0; request < 20; request++) await source.refresh(['utrecht']);
  expect(parsed).toBe(once);
  await writeFile(join(folder, 'lost.secret'), 'found');
  expect((await source.refresh([])).accounts.get('utrecht')?.clientSecret).toBe('found');
});

test('a followed file says once which secret cannot be read, and takes in one that was replaced', async () => {
  const secret = join(folder, 'secret-of-utrecht');
  await writeFile(secret, 'first');
  const file = accountWith({ client_secret: undefined, client_secret_file: secret });
  await writeFile(path, file);
  const problems: unknown[] = [];
  const source = await followAccounts(path, server, {
    info() {},
    error: ({ reason }) => problems.push(reason),
  });
  const secretNow = async () =>
    (await source.refresh(['utrecht'])).accounts.get('utrecht')?.clientSecret;
  await rm(secret);
  expect([await secretNow(), await secretNow()]).toEqual(['first', 'first']);
  const message = expect.stringMatching(/"client_secret_file".*unreadable_file/);
  expect(problems).toMatchObject([{ message }]);
  await writeFile(secret, 'second');
  expect(await secretNow()).toBe('second');
  expect(source.problem).toBeUndefined();
});

describe.skipIf(process.platform === 'win32')('a file that is no plain one', () => {
  test.each(['the list itself', 'a secret'])(
    'a pipe in place of %s is refused and not waited for',
    async (which) => {
      const fifo = join(folder, `fifo of ${which}`);
      execFileSync('mkfifo', [fifo]);
      const isList = which === 'the list itself';
      const text = accountWith({ client_secret: undefined, client_secret_file: fifo });
      const refused = isList ? readAccounts(fifo, server) : reading(text);
      await expect(refused).rejects.toThrow(/unreadable_file.*It is no plain file/);
    },
  );
});

/** The line and the code of a problem. */
function placeOf({ problem }: ConfigProblem) {
  const { line, cause, code }: { line?: number; cause?: string; code: string } = problem;
  return code === 'in_line' ? [line, cause] : [line, code];
}
