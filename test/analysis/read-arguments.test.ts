import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { endpointMessages } from '../../src/analysis/endpoint/messages.ts';
import {
  argumentMessages,
  readArguments,
  type WrongArgument,
} from '../../src/analysis/read-arguments.ts';
import { resolveMessages } from '../../src/analysis/reference/resolve.ts';
import { resultMessages } from '../../src/analysis/results/store.ts';
import { InputError } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Message } from '../../src/core/message.ts';
import { periodMessages } from '../../src/core/periods.ts';
import type { Endpoint } from '../../src/endpoints/define.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { Catalogue, type Tool } from '../../src/mcp/tools/catalogue.ts';
import { anyText } from '../fuzz.ts';
import { unbounded } from '../mcp/tools/unbounded.ts';
import { runs } from '../property-runs.ts';
import { sharedServer } from '../server-over.ts';

describe('a call', () => {
  const server = sharedServer();
  const today = '2026-11-20';
  const unknown = (tool: string, argument: string, ...known: string[]): Message => {
    const nearest = argument === 'dat' ? 'date' : undefined;
    return argumentMessages.unknown_argument({ tool, argument, nearest, known });
  };
  const wrong = (tool: string, place: string, accepted: string, value?: unknown, form?: string) =>
    argumentMessages.wrong_arguments({ tool, wrong: [{ place, accepted, value, form }] });
  const oneOf = (tool: string, names: [string, string], count: number) =>
    endpointMessages.one_of({ tool, names, count });
  const oneStart = oneOf.bind(undefined, 'list_order_changes', ['since', 'cursor']);
  const oneOrder = oneOf.bind(undefined, 'get_order', ['order_id', 'order_number']);
  const tooSmall = resolveMessages.id_too_small({ idField: 'location_id', given: '0' });
  const utrecht = [
    { id: 3, name: 'Utrecht Centraal' },
    { id: 7, name: 'Utrecht Oost' },
  ];
  const gone = resultMessages.result_gone({
    ...{ address: 'r_gone', minutes: 30, results: 500, megabytes: 128, trouble: undefined },
  });
  const ofOrders = 'period from to shop_id status is_internal is_paid segment_id'.split(' ');

  test.each<[tool: string, args: JsonObject, argument: string, says: Message | string]>([
    [
      'get_daily_close',
      { dat: 'yesterday' },
      'dat',
      unknown('get_daily_close', 'dat', 'date', 'location_id'),
    ],
    [
      'get_daily_close',
      { date: 'yesterday', shop_id: 'Webshop' },
      'shop_id',
      argumentMessages.unknown_argument({
        ...{ tool: 'get_daily_close', argument: 'shop_id', known: ['date', 'location_id'] },
        comparison: { period: 'yesterday', against: 'none', shop_id: 'Webshop' },
      }),
    ],
    [
      'get_daily_close',
      {},
      'date',
      wrong('get_daily_close', 'date', 'text (YYYY-MM-DD, today or yesterday)'),
    ],
    [
      'list_orders',
      { period: 'last_wek' },
      'period',
      periodMessages.not_a_period({
        argument: 'period',
        given: 'last_wek',
        nearest: 'last_week',
        today,
      }),
    ],
    [
      'list_orders',
      { period: 'today', limit: 501 },
      'limit',
      wrong('list_orders', 'limit', 'a whole number from 0 to 500', 501),
    ],
    [
      'search_products',
      { language_code: 'NLD' },
      'language_code',
      wrong(
        'search_products',
        'language_code',
        'text',
        'NLD',
        'must be two lower-case letters, such as nl or en',
      ),
    ],
    ['list_order_changes', {}, 'since', oneStart(0)],
    [
      'get_customer',
      {},
      'customer_id',
      oneOf('get_customer', ['customer_id', 'relation_data_id'], 0),
    ],
    ['get_order', { order_id: 5, order_number: '5' }, 'order_id', oneOrder(2)],
    ['query', { sql: 'SELECT nothing FROM shops' }, 'sql', 'There is no column "nothing"'],
    [
      'query',
      { sql: "SELECT * FROM list_orders(period := 'once')" },
      'sql',
      periodMessages.not_a_period({ argument: 'period', given: 'once', nearest: undefined, today }),
    ],
    [
      'query',
      { sql: 'FROM list_orders(constructor := 1)' },
      'sql',
      unknown('list_orders', 'constructor', ...ofOrders),
    ],
    [
      'list_orders',
      { period: 'yesterday', shop_id: 'Utrecht' },
      'shop_id',
      resolveMessages.ambiguous_name({
        idField: 'shop_id',
        noun: 'shop',
        given: 'Utrecht',
        count: 2,
        entries: utrecht,
      }),
    ],
    ...[0, ' 00 '].map((id): [string, JsonObject, string, Message] => [
      'get_financial_report',
      { period: 'yesterday', location_id: id },
      'location_id',
      resolveMessages.id_too_small({ idField: 'location_id', given: `${id}`.trim() }),
    ]),
    ['compare_turnover', { period: 'yesterday', location_id: 0 }, 'location_id', tooSmall],
    ['read_rows', { result_id: 'r_gone' }, 'result_id', gone],
    ['show_figure', { result_id: 'r_gone' }, 'result_id', gone],
    ['query', { sql: "FROM result('r_gone')" }, 'sql', gone],
  ])('of %s with %j is refused before it costs a request', async (tool, args, argument, says) => {
    const { ask, sandbox } = server();
    await ask('list_shops');
    const before = sandbox.stats.requests;
    const answer = await ask(tool, args);
    const code = JSON.stringify(args).includes('r_gone') ? 'result_gone' : 'bad_input';
    expect(answer.isError).toBe(true);
    expect(answer.failure).toEqual({ code, argument });
    expect(answer.text).toMatch(new RegExp(`^${tool}[ :]`));
    expect(answer.text).toContain(typeof says === 'string' ? says : says.text);
    expect(answer.body).toEqual({});
    expect(sandbox.stats.requests).toBe(before);
  });

  test.each([
    ['list_orders', { period: 'yesterday' }, 'status', ' new,  complete ,', 'new,complete'],
    ['list_product_prices', {}, 'product_ids', ' 1001 , 1002', '1001,1002'],
    ['list_product_prices', {}, 'product_ids', [1001, 1002], '1001,1002'],
  ])('of %s with %j has the list of its %s sent without spaces', (tool, args, name, list, sent) => {
    const endpoint = endpoints.find((it) => it.tool === tool) ?? expect.unreachable();
    expect(readArguments(endpoint, { ...args, [name]: list })).toEqual({ ...args, [name]: sent });
  });

  test('has its texts read as the numbers, truths and lists that they mean', async () => {
    const args = { period: 'yesterday', limit: '2', is_paid: 'true', fields: '["id","is_paid"]' };
    const { body, rows, text } = await server().ask('list_orders', args);
    expect(body, text).toMatchObject({ count: 2, limit: 2 });
    expect(rows).toEqual(Array(2).fill({ id: expect.any(Number), is_paid: true }));
  });

  test('does without arguments that are blank', async () => {
    const args = { period: 'yesterday', shop_id: '', status: ' ', fields: [], limit: 1 };
    expect(await server().ask('list_orders', args)).toMatchObject({ isError: false });
  });
});

const readers: readonly Endpoint[] = endpoints;
const orders = readers.find(({ tool }) => tool === 'list_orders') ?? expect.unreachable();

/** Arguments of every form that a tool can have. */
const everything: Pick<Endpoint, 'tool' | 'input'> = {
  tool: 'ask_everything',
  input: z.strictObject({
    name: z.string().optional(),
    count: z.int().min(1).max(500).optional(),
    ratio: z.number().optional(),
    is_open: z.boolean().optional(),
    by: z.enum(['total', 'turnover_group']).optional(),
    columns: z.array(z.string()).optional(),
    ids: z.array(z.int()).optional(),
    kinds: z.array(z.enum(['shop', 'tax_rate'])).optional(),
  }),
};

function refusal(reader: Pick<Endpoint, 'tool' | 'input'>, raw: JsonObject): InputError {
  try {
    readArguments(reader, raw);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  return expect.unreachable('the arguments were accepted');
}

describe('readArguments', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['a number in a text', { count: '50' }, { count: 50 }],
    ['true in a text', { is_open: 'true' }, { is_open: true }],
    ['1 for true', { is_open: 1 }, { is_open: true }],
    ['a number for a text', { name: 7 }, { name: '7' }],
    ['a list for a text', { name: [101, 102] }, { name: '101,102' }],
    ['a JSON-encoded list for a text', { name: '[5001,5011]' }, { name: '5001,5011' }],
    ['a text that only begins like a list', { name: '[5001' }, { name: '[5001' }],
    ['a text with space around it', { name: ' Utrecht ' }, { name: 'Utrecht' }],
    ['a member however it is written', { by: 'Turnover Group' }, { by: 'turnover_group' }],
    ['a JSON-encoded list', { columns: '["id","total_wt"]' }, { columns: ['id', 'total_wt'] }],
    ['a comma list', { columns: 'id, total_wt,' }, { columns: ['id', 'total_wt'] }],
    ['one entry for a list', { columns: 'id' }, { columns: ['id'] }],
    ['one number for a list', { ids: 5 }, { ids: [5] }],
    ['members within a list', { kinds: 'Shop,tax-rate' }, { kinds: ['shop', 'tax_rate'] }],
    ['empty arguments as left out', { name: '', count: null, by: ' ', columns: '' }, {}],
  ])('reads %s', (_, raw, meant) => {
    const read = readArguments(everything, raw);
    expect(read).toEqual(meant);
  });

  test.each<[string, JsonObject, WrongArgument]>([
    [
      'a number past counting',
      { limit: '9'.repeat(400) },
      {
        place: 'limit',
        accepted: 'a whole number from 0 to 500',
        value: '9'.repeat(200),
      },
    ],
    [
      'a name of JavaScript for a boolean',
      { is_paid: 'constructor' },
      { place: 'is_paid', accepted: 'true or false', value: 'constructor' },
    ],
    [
      'an object for a text',
      { shop_id: { id: 3 } },
      {
        place: 'shop_id',
        accepted: 'text (Shop id or name, no location)',
        value: {},
      },
    ],
  ])('refuses %s', (_, raw, wrong) => {
    expect(refusal(orders, raw).reason).toMatchObject({
      code: 'wrong_arguments',
      tool: 'list_orders',
      wrong: [wrong],
    });
  });

  test('refuses an argument called __proto__, with all it takes', () => {
    expect(refusal(orders, JSON.parse('{"__proto__": 1}')).reason).toMatchObject({
      code: 'unknown_argument',
      argument: '__proto__',
      known: expect.arrayContaining(['period', 'fields']),
    });
  });

  test('says where within a list it went wrong, of an unknown word the nearest and all there are', () => {
    const kind = 'one of shop, tax_rate';
    expect(refusal(everything, { kinds: ['shop', 'tax'] }).reason).toMatchObject({
      wrong: [{ place: 'kinds.1', accepted: kind, value: 'tax', nearest: 'tax_rate' }],
    });
    expect(refusal(everything, { ids: [1, 'x'] }).reason).toMatchObject({
      wrong: [{ place: 'ids.1', accepted: 'a whole number', value: 'x' }],
    });
  });

  test('shows foreign text on one line, bounded', () => {
    const { reason } = refusal(orders, { [`a\n\u202e${'b'.repeat(500)}`]: 1 });
    const text = reason.text;
    expect(text).toContain('"a\\n\\u202ebbb');
    expect(text.length).toBeLessThan(400);
  });

  test('gives an object or an InputError for any value of any argument', () => {
    const named = fc.constantFrom(everything, ...readers).chain((reader) => {
      const names = [...Object.keys(reader.input.shape), 'none'];
      const value = fc.oneof(fc.jsonValue(), anyText(), fc.json());
      return fc.tuple(fc.constant(reader), fc.dictionary(fc.constantFrom(...names), value));
    });
    fc.assert(
      fc.property(named, ([reader, raw]) => {
        expectRead(reader, raw);
      }),
      { numRuns: runs(200) },
    );
  });
});

function expectRead(reader: Pick<Endpoint, 'tool' | 'input'>, raw: JsonObject): void {
  try {
    const read = readArguments(reader, raw);
    expect(reader.input.parse(read)).toEqual(read);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    expect(error.reason).toMatchObject({ tool: reader.tool });
  }
}

const tools = new Catalogue().list();

/** Characters, or as many values: refused in a moment, so that no other caller waits for it. */
const size = 1_000_000;

/** Milliseconds that one reading may cost. */
const most = 50;

/** Shapes that patterns, splits and nesting are slow at. */
const shapes: Readonly<Record<string, unknown>> = {
  commas: ','.repeat(size),
  'open brackets': `${'('.repeat(size / 2)}${','.repeat(size / 2)}`,
  dots: 'a.'.repeat(size / 2),
  spaces: ' '.repeat(size),
  'a letter after spaces': `${' '.repeat(size)}a`,
  'lists in lists': `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`,
  'objects in objects': '{"a":'.repeat(size / 5),
  'combining accents': `e${'\u0301'.repeat(size)}`,
  periods: 'last_'.repeat(size / 5),
  'names in parentheses': `${'a ('.repeat(size / 3)}1)`,
  'a list of texts': Array.from({ length: size / 4 }, () => 'a'),
  'a list of dotted texts': Array.from({ length: 1000 }, () => 'a.'.repeat(500)),
  'a list of wrong kinds': Array.from({ length: 1000 }, (_, index) => ({ a: index })),
  'nested lists': nested(100_000, (inner) => [inner]),
  'an object of many keys': Object.fromEntries(
    Array.from({ length: size / 50 }, (_, index) => [`${index}`.padStart(40, 'k'), index]),
  ),
};

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

/**
 * Processor time in milliseconds; of what seems slow the best of a dozen readings: neighbours do not count,
 * nor what is collected meanwhile of the tests before.
 */
function costOf(tool: Tool, input: JsonObject, readings = 12): number {
  const before = process.cpuUsage();
  try {
    readArguments(tool, input);
  } catch (error) {
    expect(error).toMatchObject({ code: 'bad_input' });
    expect(String(error).length).toBeLessThan(6000);
  }
  const { user, system } = process.cpuUsage(before);
  const cost = (user + system) / 1000;
  return cost < most || readings === 1 ? cost : Math.min(cost, costOf(tool, input, readings - 1));
}

test.each(tools)('in $tool it holds nobody up, and every argument has a bound', (tool) => {
  const slow = Object.entries(shapes).flatMap(([shape, value]) => {
    const named = Object.keys(tool.input.shape).map((name) => ({ [name]: value }));
    const asName = typeof value === 'string' ? [{ [value]: 1 }] : [];
    return [...named, ...asName].flatMap((input) => {
      const cost = costOf(tool, input);
      return cost < most ? [] : [`${Object.keys(input)[0]?.slice(0, 20)}: ${shape} ${cost} ms`];
    });
  });
  expect(slow).toEqual([]);
  expect(unbounded(tool.input)).toEqual([]);
});
