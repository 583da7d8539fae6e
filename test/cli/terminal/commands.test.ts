import { afterAll, beforeAll, expect, test } from 'vitest';
import { shownLength } from '../../../src/cli/terminal/text.ts';
import { type ScriptedServer, scripted } from '../../client/scripted-server.ts';
import { runHere } from '../run-here.ts';

/** A name that would clear the screen. */
const hostile = 'Markt\u001b[2J\u202e';
const escaped = 'Markt\\u001b[2J\\u202e';

let platform: ScriptedServer;
let settings: Record<string, string>;

beforeAll(async () => {
  platform = await scripted((_, response, { pathname }) => {
    response.setHeader('content-type', 'application/json');
    const shops = [{ id: 1, name: hostile, location_id: null, type: 'shop' }];
    response.end(JSON.stringify(pathname === '/api/shop' ? shops : {}));
  });
  settings = {
    COMMERCE_BASE_URL: platform.origin,
    COMMERCE_AUTH_URL: platform.origin,
    COMMERCE_CLIENT_ID: 'ck_acme.1',
    COMMERCE_CLIENT_SECRET: 'the-secret-of-acme',
  };
});

afterAll(() => platform[Symbol.asyncDispose]());

const terminal = { columns: 80 };
const show = (...args: string[]) => runHere(args, settings, terminal);

test('a name from the account controls no terminal as JSON, and is the same JSON value', async () => {
  const { stdout } = await show('call', 'list_shops', '--json');
  expect(stdout.trimEnd()).not.toMatch(/[^ -~]/);
  expect(JSON.parse(stdout).data[0].name).toBe(hostile);
});

test.each([{ flags: ['--csv'] }, { flags: [] }])(
  'a name from the account controls no terminal with $flags',
  async ({ flags }) => {
    const { stdout } = await show('call', 'list_shops', ...flags);
    expect(stdout).toContain(escaped);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[^ -~]/);
  },
);

test('a name from the account is the same in a file of rows', async () => {
  const { stdout } = await runHere(['call', 'list_shops', '--csv'], settings);
  expect(stdout).toContain(escaped);
  expect(stdout).not.toContain(hostile);
});

test.each([
  [['call', 'list_orders', 'period=yesteday']],
  [['stdio', '--max-rows', 'many', '--concurrency', '0']],
  [['query', 'SELECT', '1']],
])(
  'a terminal gets what %j says wrapped at words, and a pipe the same on one line',
  async (args) => {
    const { stderr } = await show(...args);
    expect(stderr).not.toBe('');
    for (const line of stderr.split('\n')) expect(shownLength(line)).toBeLessThanOrEqual(80);
    const piped = await runHere(args, settings);
    expect(stderr.replaceAll(/\s+/g, ' ')).toBe(piped.stderr.replaceAll(/\s+/g, ' '));
  },
);
