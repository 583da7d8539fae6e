import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { isRecord, type JsonObject, parseJson } from '../../../src/core/json.ts';
import { limits } from '../../../src/mcp/answers/finish.ts';
import type { Connection, ToolAnswer } from '../../clients.ts';
import { serverOver, sharedServer } from '../../server-over.ts';

const server = sharedServer({ ordersPerDay: 60 });

/** The same platform behind a server with other settings. */
function narrowed(settings: Record<string, string>) {
  return serverOver('memory', { sandbox: server().sandbox, settings });
}

/** The numbers that the lines of an answer's text begin with: the first column of its table. */
function firstCells({ text }: ToolAnswer): number[] {
  const cells = text.split('\n').filter((line) => /^\d+(\||$)/.test(line));
  return cells.map((line) => Number.parseInt(line, 10));
}

function idsOf(rows: readonly JsonObject[]): unknown[] {
  return rows.map(({ id }) => id);
}

/** Follows `next` to the end; every answer on the way is held to the limits. */
async function walk(from: Connection, tool: string, args: JsonObject): Promise<ToolAnswer[]> {
  const answers: ToolAnswer[] = [];
  let call: JsonObject | undefined = { tool, arguments: args };
  while (call !== undefined) {
    if (answers.length > 60) throw new Error('next leads nowhere');
    const argumentsOf: JsonObject = isRecord(call.arguments) ? call.arguments : {};
    const answer = await from.call(String(call.tool), argumentsOf);
    expect(answer.isError, answer.text).toBe(false);
    expect(answer.text.length).toBeLessThanOrEqual(limits.text);
    expect(JSON.stringify(answer.body).length).toBeLessThanOrEqual(limits.json);
    answers.push(answer);
    const { next, complete }: JsonObject = answer.context;
    expect(complete).toBe(next === undefined);
    call = isRecord(next) ? next : undefined;
  }
  return answers;
}

/** The orders of the last full month as the business itself has them. */
function ordersOfLastMonth({ world } = server().sandbox): number[] {
  const [year = 0, month = 0] = world.today().split('-').map(Number);
  const last = new Date(Date.UTC(year, month - 1, 0));
  const to = last.toISOString().slice(0, 10);
  return world.orders(`${to.slice(0, 8)}01`, to).map(({ id }) => id);
}

const lastMonth = { period: 'last_month' };

test('an answer whose rows were cut keeps the rest, says so, and links to it', async () => {
  const answer = await server().ask('list_orders', { ...lastMonth, limit: 500 });
  const { result, complete, next } = answer.context;
  expect(complete).toBe(false);
  expect(result).toMatchObject({ rows: 500, uri: expect.stringMatching(/^commerce:\/\//) });
  expect(answer.links).toEqual([Object(result).uri]);
  expect(next).toEqual({
    tool: 'read_rows',
    arguments: { result_id: Object(result).id, start: answer.rows.length },
  });
  expect(answer.text).toContain(
    'Not read whole: 500 rows were read, 1,941 exist; sums over them are not totals. Next: read_rows {"result_id"',
  );
});

describe('following next to the end', () => {
  const fields = ['id', 'shop_id'];

  test.each<[what: string, JsonObject]>([
    ['rows of all pages', { all: true }],
    ['pages that are cut', { limit: 500 }],
    ['pages from a row on', { limit: 400, start: 1000 }],
    ['rows of all pages with the columns that were asked for', { all: true, fields }],
    ['sorted rows with those columns, in that order', { sort: 'id', fields }],
  ])('gives each of %s exactly once', async (_, args) => {
    const answers = await walk(server(), 'list_orders', { ...lastMonth, ...args });
    const rows = answers.flatMap((answer) => answer.rows);
    const truth = ordersOfLastMonth().slice(Number(args.start ?? 0));
    expect(idsOf(rows)).toEqual(args.sort ? truth.sort((a, b) => a - b) : truth);
    expect(answers.flatMap(firstCells)).toEqual(idsOf(rows));
    if (args.fields)
      expect([...new Set(rows.map((row) => Object.keys(row).join()))]).toEqual([fields.join()]);
  });

  test('following next over the first sorted rows ends with them, and all are kept in that order', async () => {
    const sorted = { ...lastMonth, sort: '-total_wt', top: 3, fields: ['id'] };
    const [first, ...others] = await walk(server(), 'list_orders', sorted);
    expect([first?.rows.length, others]).toEqual([3, []]);
    const kept = { result_id: Object(first?.context.result).id, start: 3, fields: ['id'] };
    const rest = await walk(server(), 'read_rows', kept);
    const ids = [first, ...rest].flatMap((answer) => idsOf(answer?.rows ?? []));
    expect(ids.toSorted()).toEqual(ordersOfLastMonth().toSorted());
  });

  test('following next over a change feed gives every changed order', async () => {
    const whole = await server().ask('list_order_changes', { since: 'yesterday', all: true });
    const answers = await walk(server(), 'list_order_changes', { since: 'yesterday', limit: 30 });
    expect(new Set(answers.flatMap(({ rows }) => idsOf(rows))).size).toBe(
      Object(whole.context.result).rows,
    );
  });

  test('following next goes on beyond a bound on rows', async () => {
    const bounded = await narrowed({ COMMERCE_MAX_ROWS: '1500' });
    const first = await bounded.call('list_orders', { ...lastMonth, all: true });
    expect(first.context).toMatchObject({ complete: false, result: { rows: 1500 } });
    expect(first.warnings).toContainEqual(
      expect.objectContaining({ code: 'row_limit', rows: 1500 }),
    );
    const answers = await walk(bounded, 'list_orders', { ...lastMonth, all: true });
    expect(answers.flatMap(({ rows }) => idsOf(rows))).toEqual(ordersOfLastMonth());
  });
});

test('a resource link reads back as all rows, in CSV and in JSON, whatever a name holds', async () => {
  // In November 2026 some orders are of a customer whose name is of two lines.
  const december = () => Date.parse('2026-12-06T12:00:00+01:00');
  const { ask, read, sandbox } = await serverOver('memory', { now: december });
  const ids = ordersOfLastMonth(sandbox);
  const [uri = ''] = (await ask('list_orders', { ...lastMonth, all: true })).links;
  const [[csv], [json]] = [await read(`${uri}.csv`), await read(`${uri}.json`)];
  const kept = parseJson(json?.text ?? '');
  const rows = isRecord(kept) && Array.isArray(kept.data) ? kept.data.filter(isRecord) : [];
  expect(idsOf(rows)).toEqual(ids);
  const [header, ...records]: string[][] = parse(csv?.text ?? '');
  expect(header?.slice(0, 2)).toEqual(['id', 'order_number']);
  expect(records.map(([id]) => Number(id))).toEqual(ids);
  expect(records.flat().some((cell) => cell.includes('\n'))).toBe(true);
  expect(await read(uri)).toEqual([json]);
});

describe('without the analysis tools', () => {
  const narrow = () => narrowed({ COMMERCE_TOOLSETS: 'orders,reports' });

  test('next goes on with the same tool, each row once', async () => {
    const answers = await walk(await narrow(), 'list_orders', { ...lastMonth, limit: 500 });
    expect(answers.flatMap(({ rows }) => idsOf(rows))).toEqual(ordersOfLastMonth());
  });

  test('a list that takes no start names no next, but links to its rows', async () => {
    const { ask, read } = await narrow();
    const answer = await ask('list_discount_orders', { period: 'last_90_days' });
    expect(answer.context).toMatchObject({ complete: false });
    expect(answer.context).not.toHaveProperty('next');
    const [json] = await read(answer.links[0] ?? '');
    expect(parseJson(json?.text ?? '')).toMatchObject({ tool: 'list_discount_orders' });
  });
});
