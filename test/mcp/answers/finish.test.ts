import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RowsAnswer } from '../../../src/analysis/answer.ts';
import type { Row } from '../../../src/analysis/rows/rows.ts';
import { listOrders } from '../../../src/endpoints/orders.ts';
import { finishRows, fitRows } from '../../../src/mcp/answers/finish.ts';
import { fakeServices } from '../../analysis/fake-services.ts';

const context = {
  endpoint: 'GET /api/order',
  source: 'sandbox',
  as_of: '2026-11-20T15:30:00+01:00',
} as const;

/** An answer of `list_orders`, finished. */
async function finish(given: Partial<RowsAnswer>) {
  const about = { context, toolCall: { tool: 'list_orders', arguments: {} }, calls: 1 };
  const { services } = fakeServices();
  const rows = { kind: 'rows', payload: {}, rows: [], noun: 'orders' } as const;
  return finishRows({ tool: listOrders, services }, { ...about, ...rows, ...given });
}

function rowsOf(count: number, remark = ''): Row[] {
  return Array.from({ length: count }, (_, id) => ({ id, shop_id: 3, remark: remark + id }));
}

/** Three rows of a kept result of nine. */
function sliceOf(start: number, isWhole: boolean): Partial<RowsAnswer> {
  const payload = { total: 9, start };
  return { rows: rowsOf(3), payload, sliceOf: { resultId: 'r', isWhole } };
}

describe('finishRows', () => {
  test.each<[what: string, given: Partial<RowsAnswer>, read: object]>([
    ['a list that came whole', { rows: rowsOf(3) }, { rows: 3, of: 3 }],
    ['no rows', { rows: [] }, { rows: 0, of: 0 }],
    ['a page', { rows: rowsOf(3), payload: { total: 9 }, rest: {} }, { rows: 3, of: 9 }],
    ['the last page', { rows: rowsOf(3), payload: { total: 9, start: 6 } }, { rows: 3, of: 9 }],
    ['a page of a feed', { rows: rowsOf(3), rest: {} }, { rows: 3 }],
    ['a slice of rows that were read whole', { ...sliceOf(0, true), rest: {} }, { rows: 9, of: 9 }],
    ['a slice of rows of which the platform has more', sliceOf(6, false), { rows: 9 }],
  ])('counts what was read of %s', async (_, given, read) => {
    expect((await finish(given)).context.read).toEqual(read);
  });

  test('keeps the rows of an answer that is a single character too long', async () => {
    const rows = Array.from({ length: 50 }, (_, id): Row => ({ ['n'.repeat(1000)]: id }));
    const padded = async (length: number) =>
      (await finish({ rows, payload: { hint: 'x'.repeat(length) } })).context;
    let [whole, cut] = [0, 20_000];
    while (cut - whole > 1) {
      const middle = Math.floor((whole + cut) / 2);
      if ((await padded(middle)).complete) whole = middle;
      else cut = middle;
    }
    expect(await padded(cut)).toMatchObject({ complete: false, result: { rows: 50 } });
  });

  const flags = ['is_internal', 'backoffice_url'];
  const top: Partial<RowsAnswer> = {
    rows: rowsOf(9),
    wanted: { count: 4, isTop: true },
    keep: true,
  };

  /** Three of them fit. */
  const longRows = rowsOf(9, 'x'.repeat(7000));

  test.each<[what: string, given: Partial<RowsAnswer>, shown: number, complete: boolean]>([
    ['the first of a list that was read whole, as many as were asked for', top, 4, true],
    ['fewer than were asked for', { ...top, rows: longRows }, 3, false],
    ['the first of a list that was not read whole', { ...top, rest: {} }, 4, false],
    ['as many as a limit shows', { ...top, wanted: { count: 4, isTop: false } }, 4, false],
  ])('says of %s whether they are all', async (_, given, shown, complete) => {
    const { rows, context: said } = await finish(given);
    expect(rows).toHaveLength(shown);
    expect(said).toMatchObject({ complete, result: { rows: 9 } });
    if (complete) expect(said).not.toHaveProperty('next');
  });

  test.each<[fields: string[] | undefined, names: string[]]>([
    [undefined, ['id', 'total_wt', 'address.city', 'address.zipcode']],
    [flags, flags],
    [['address'], ['address.city', 'address.zipcode']],
  ])('profiles the columns that say something, or were named: %j', async (fields, names) => {
    const row = { total_wt: 5, is_internal: false, backoffice_url: 'a', row_hash: 'x' };
    const address = { city: 'U', zipcode: 'Z' };
    const rows = [1, 2].map((id) => ({ id, ...row, address }));
    const toolCall = { tool: 'list_orders', arguments: fields ? { fields } : {} };
    const { context: said } = await finish({ rows, keep: true, toolCall });
    expect(said.result?.columns.map(({ name }) => name)).toEqual(names);
  });
});

describe('fitRows', () => {
  test('gives as many as fit in both, and not one less', () => {
    const most = (chars: number) => fc.record({ text: fc.nat(chars), json: fc.nat(chars) });
    fc.assert(
      fc.property(fc.array(most(50)), most(500), (lengths, room) => {
        const count = fitRows(lengths, room);
        const taken = (key: 'text' | 'json', rows: number) =>
          lengths.slice(0, rows).reduce((sum, row) => sum + row[key], 0);
        const fits = (rows: number) =>
          taken('text', rows) <= room.text && taken('json', rows) <= room.json;
        expect(fits(count)).toBe(true);
        if (count < lengths.length) expect(fits(count + 1)).toBe(false);
      }),
    );
  });
});
