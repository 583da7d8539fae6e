/** Statements that are made to keep the server busy, of one caller, and what another one waits meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRecord } from '../../../src/core/json.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { account, type SpawnedServer, spawnHttp } from '../../spawn.ts';
import { bearer, lastMessage, message, post } from '../http/messages.ts';

const longest = 50_000;
const seconds = 1;
const honest = bearer('honest-token-0000');
const hostile = bearer('hostile-token-000');

/** `first` with as many of `more` behind it as a statement has room for, and `last`. */
function filled(first: string, more: (index: number) => string, last = ''): string {
  let text = first;
  for (let index = 0; ; index += 1) {
    const next = text + more(index);
    if (next.length + last.length > longest) return text + last;
    text = next;
  }
}

function times(count: number, text: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => text(index)).join('');
}

const orders = (index: number, args: string) =>
  `, list_orders(period := 'today', ${args}) t${index + 1}`;
const byOne = (index: number) => orders(index, `shop_id := t${index}.shop_id`);
const byTwo = (index: number) =>
  orders(index, `shop_id := t${index}.shop_id, is_paid := t${index}.is_paid`);
const joined = "SELECT count(*) FROM list_orders(period := 'today') t0";
const step = (index: number) => `, s${index + 1} AS (FROM s${index})`;
const withSteps = 'WITH s0 AS (SELECT 1 AS x)';
const digits = (index: number) => `,${index % 10}`;
const values = `(1${times(2000, digits)})`;

const shapes: readonly [string, string][] = [
  ['14 joins by an argument of the one before', joined + times(13, byOne)],
  ['11 joins by two arguments of the one before', joined + times(10, byTwo)],
  ['joins by an argument, as many as there is room for', filled(joined, byOne)],
  [
    'a few joins by an argument over a long list',
    `SELECT 1 FROM (SELECT 3 AS shop_id WHERE 3 IN (1${times(18_000, digits)})) t0${times(6, byOne)}`,
  ],
  ['900 steps that nothing uses', `${withSteps + times(900, step)} SELECT 1`],
  ['unused steps, as many as there is room for', filled(withSteps, step, ' SELECT 1')],
  ['150 unused steps with long lists', `${withSteps + times(150, step)} SELECT 1 IN ${values}`],
  [
    'steps that arguments build on',
    `WITH s0 AS (FROM list_orders(period := 'today'))${times(
      150,
      (index) =>
        `, s${index + 1} AS (FROM list_orders(period := 'today', shop_id := (SELECT max(shop_id) FROM s${index})))`,
    )} FROM s150`,
  ],
  [
    'a long step that many arguments use',
    `WITH b AS (SELECT 3 AS x WHERE 3 IN (1${times(18_000, digits)})) SELECT 1${times(
      80,
      (index) =>
        ` UNION SELECT id FROM list_orders(period := 'today', shop_id := (SELECT ${index} + x FROM b))`,
    )}`,
  ],
  ['brackets', `SELECT ${'('.repeat(24_990)}1${')'.repeat(24_990)}`],
  ['brackets of lists', `SELECT ${'['.repeat(4_000)}1${']'.repeat(4_000)}`],
  ['900 brackets of CASE', `SELECT ${'CASE WHEN true THEN '.repeat(900)}1${' END'.repeat(900)}`],
  ['selects within selects', `SELECT ${'(SELECT '.repeat(5_500)}1${')'.repeat(5_500)}`],
  ['100 selects within selects', `SELECT ${'(SELECT '.repeat(100)}1${')'.repeat(100)}`],
  ['400 selects in FROM', `SELECT * FROM ${'(FROM '.repeat(400)}shops${')'.repeat(400)}`],
  ['a long IN list', filled('SELECT count(*) FROM shops WHERE id IN (1', digits, ')')],
  ['an IN list of columns', filled('SELECT count(*) FROM shops WHERE id IN (id', () => ',id', ')')],
  [
    'a long list as an argument',
    filled("SELECT count(*) FROM list_orders(period := 'today', shop_id := [1", digits, '])'),
  ],
  ['ORs', filled('SELECT count(*) FROM shops WHERE id = 1', (index) => ` OR id = ${index % 9}`)],
  ['UNIONs', filled('SELECT 1', () => ' UNION SELECT 1')],
  [
    '190 joins by a name',
    `SELECT 1 FROM shops s0${times(190, (index) => ` JOIN shops s${index + 1} USING (id)`)}`,
  ],
  ['60 comments and a space that is none', `${'/**/'.repeat(60)}\u200bDROP TABLE x`],
];

let sandbox: Sandbox;
let server: SpawnedServer;

beforeAll(async () => {
  sandbox = await startSandbox({ quota: 10_000, ordersPerDay: 10 });
  server = await spawnHttp({
    ...account(sandbox),
    COMMERCE_HTTP_TOKENS: 'honest:honest-token-0000;hostile:hostile-token-000',
    COMMERCE_QUERY_SECONDS: String(seconds),
    COMMERCE_QUERY_MEMORY_MB: '128',
  });
  // What is loaded with the first statement, and the list of shops, are none of a later one's waits.
  await call(hostile, 'query', { sql: 'SELECT count(*) FROM shops' });
});

afterAll(async () => {
  // A server that is frozen does not stop when it is asked to.
  await server.kill();
  await sandbox.close();
});

interface Answer {
  text: string;
  isError: boolean;
}

async function call(
  caller: Record<string, string>,
  name: string,
  args: Record<string, unknown>,
): Promise<Answer> {
  const body = message('tools/call', { name, arguments: args });
  const reply = await lastMessage(
    await post(server.url, body, caller, AbortSignal.timeout(30_000)),
  );
  const { content, isError } = isRecord(reply.result) ? reply.result : {};
  return { text: JSON.stringify(content), isError: isError === true };
}

/** Asks, and measures the longest that the other caller waited for a list of shops meanwhile. */
async function askBeside(sql: string): Promise<{ answer: Answer; longestMs: number }> {
  let isOver = false;
  const asked = call(hostile, 'query', { sql }).finally(() => {
    isOver = true;
  });
  let longestMs = 0;
  do {
    const beganMs = performance.now();
    const { text, isError } = await call(honest, 'list_shops', {});
    expect(isError, text).toBe(false);
    longestMs = Math.max(longestMs, performance.now() - beganMs);
    await sleep(50);
  } while (!isOver);
  return { answer: await asked, longestMs };
}

/** Ten times what ten lists of shops take while nothing is asked beside them, where a machine is so slow. */
async function longestAllowedMs(): Promise<number> {
  const beganMs = performance.now();
  for (let asked = 0; asked < 10; asked += 1) await call(honest, 'list_shops', {});
  return Math.max(1000, 10 * (performance.now() - beganMs));
}

describe('a statement of up to 50,000 characters ends, and another caller waits less than a second for', () => {
  test.each(shapes)('%s', async (_, sql) => {
    expect(sql.length).toBeLessThanOrEqual(longest);
    let mostMs = 1000;
    let outcome = await askBeside(sql);
    // What a busy machine adds passes by; what the statement itself does comes again.
    for (let more = 0; outcome.longestMs >= mostMs && more < 2; more += 1) {
      mostMs = await longestAllowedMs();
      outcome = await askBeside(sql);
    }
    const { answer, longestMs } = outcome;
    expect(longestMs, answer.text).toBeLessThan(mostMs);
    expect(answer.text).not.toMatch(/unexpected went wrong|Ask again/);
    if (answer.isError) expect(answer.text).toMatch(/[Ss]tatement|argument|Memory|shop_id/);
  });

  test('and every list that is not too long is answered', async () => {
    const sql = `SELECT count(*) AS n FROM shops WHERE id IN ${values}`;
    // A busy machine may need more than one second for it, and then less.
    await expect.poll(async () => (await call(hostile, 'query', { sql })).isError).toBe(false);
  });
});
