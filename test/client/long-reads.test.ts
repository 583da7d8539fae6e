import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type FollowOptions,
  followChanges,
  type LongReadOptions,
  readAllPages,
} from '../../src/client/long-reads.ts';
import { clientMessages } from '../../src/client/messages.ts';
import { responseOf } from '../../src/client/request/get.ts';
import type { Query } from '../../src/client/transport/http.ts';
import { PlatformError } from '../../src/core/errors.ts';
import { runs } from '../property-runs.ts';

/** A list as the platform pages it; `before` may change it ahead of each read. */
interface FakeList {
  ids: number[];
  most?: number;
  before?: (read: number, list: FakeList) => void;
  envelope?: (page: object, query: Query) => object;
}

function reading(list: FakeList) {
  const asked: Query[] = [];
  const read = async (query: Query) => {
    list.before?.(asked.length, list);
    asked.push(query);
    const start = Number(query.start);
    const limit = Math.min(Number(query.limit), list.most ?? 500);
    const data = rowsOf(...list.ids.slice(start, start + limit));
    const page = { count: data.length, total: list.ids.length, start, limit, data };
    const body = list.envelope?.(page, query) ?? page;
    return responseOf({ body, readAtMs: asked.length, size: 1 }, false);
  };
  return { asked, read };
}

const rowsOf = (...ids: number[]) => ids.map((id) => ({ id }));

const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, i) => i + from);

async function readList(
  list: FakeList,
  options: Partial<LongReadOptions> = {},
  { concurrency = 4 }: { concurrency?: number } = {},
) {
  const { asked, read } = reading(list);
  const all = { endpoint: 'GET /api/order', pageSize: 10, maxRows: 1000, ...options };
  const found = await readAllPages(all, read, concurrency);
  return { ...found, asked, ids: found.rows.map(({ id }) => id) };
}

describe('readAllPages', () => {
  test.each<[string, FakeList, Query, object]>([
    ['in list order', { ids: upTo(95) }, {}, { ids: upTo(95), total: 95, calls: 10, readAtMs: 1 }],
    ...[0, 1, 9, 10, 11].map((count): [string, FakeList, Query, object] => [
      ...([`of ${count} rows`, { ids: upTo(count) }, {}] as const),
      { ids: upTo(count) },
    ]),
    ['in smaller pages than asked for', { ids: upTo(50), most: 7 }, {}, { ids: upTo(50) }],
    [
      'from where the question begins, and keeps the rest of the first envelope',
      { ids: upTo(50), envelope: (page) => ({ ...page, currency: 'EUR' }) },
      { start: 25 },
      { ids: upTo(25, 26), total: 50, envelope: { currency: 'EUR' } },
    ],
    [
      'that tells no total',
      { ids: upTo(35), envelope: (page) => ({ ...page, total: undefined }) },
      {},
      { ids: upTo(35), total: 35, notes: expect.any(Array) },
    ],
  ])('reads a list %s', async (_, list, query, expected) => {
    const found = await readList(list, { query: { from: '2026-03-01', ...query } });
    expect(found).toMatchObject({ complete: true, notes: [], ...expected });
    const { start = 0 } = query;
    expect(found.asked[0]).toEqual({ from: '2026-03-01', start, limit: 10 });
  });

  test('stops at the most rows it may read, and says so', async () => {
    const found = await readList({ ids: upTo(100) }, { maxRows: 25 });
    expect(found).toMatchObject({ ids: upTo(25), total: 100, complete: false, calls: 3 });
    expect(found.notes).toEqual([clientMessages.row_limit({ rows: 25, total: 100 })]);
  });

  test('reads the head alone again where new rows came in while it read', async () => {
    const list: FakeList = {
      ids: upTo(95, 1000),
      before: (read, { ids }) => {
        if (read === 4) ids.unshift(1, 2, 3);
      },
    };
    const found = await readList(list);
    expect(found).toMatchObject({ ids: list.ids, complete: true, total: 98, calls: 11 });
    expect(found.notes).toEqual([clientMessages.moved_while_reading({ rows: [95, 98] })]);
  });

  test('stops soon where pages come empty, however many rows are promised', async () => {
    const list: FakeList = { ids: upTo(3), envelope: (page) => ({ ...page, total: 100_000_000 }) };
    const found = await readList(list);
    expect(found).toMatchObject({ ids: [1, 2, 3], complete: false, total: 100_000_000 });
    expect(found.notes).toEqual([
      clientMessages.not_whole({ why: 'fewer_than_reported', rows: 3, total: 100_000_000 }),
    ]);
    expect(found.asked.length).toBeLessThan(10);
  });

  test('reads on behind one page that came empty once', async () => {
    const isEmpty = (start: unknown, read: number) => start === 40 && read < 10;
    let reads = 0;
    const envelope: FakeList['envelope'] = (page, { start }) =>
      isEmpty(start, reads++) ? { ...page, data: [] } : page;
    const found = await readList({ ids: upTo(95), envelope });
    expect(found).toMatchObject({ ids: upTo(95), complete: true });
  });

  test.each<[string, FakeList, object]>([
    [
      'reports fewer rows than it has',
      { ids: upTo(45), envelope: (page) => ({ ...page, total: 23 }) },
      clientMessages.not_whole({ why: 'more_than_reported', rows: 30, total: 23 }),
    ],
    [
      'gives one row for ever and promises a hundred thousand',
      { ids: [], envelope: () => ({ total: 100_000, data: [{ id: 1 }] }) },
      clientMessages.not_whole({ why: 'fewer_than_reported', rows: 1, total: 100_000 }),
    ],
    [
      'repeats ids',
      { ids: [...upTo(20), ...upTo(20)] },
      clientMessages.not_whole({ why: 'fewer_than_reported', rows: 20, total: 40 }),
    ],
    [
      'grows with every page',
      { ids: upTo(500), before: (_, { ids }) => void ids.unshift(...upTo(30, 1000 * ids.length)) },
      expect.anything(),
    ],
  ])('ends with the right report when the platform %s', async (_, list, note) => {
    const found = await readList(list);
    expect(found.complete).toBe(false);
    expect(found.notes).toContainEqual(note);
    expect(found.calls).toBeLessThan(120);
  });

  test.each([{ data: null }, { total: 3 }, []])('refuses %j for a first page', async (body) => {
    await expect(readList({ ids: [], envelope: () => body })).rejects.toMatchObject({
      code: 'malformed_answer',
    });
  });

  test.each(['rate_limited', 'upstream_failed'] as const)(
    'keeps what it has when the rate budget ends it, and no other failure: %s',
    async (code) => {
      const list: FakeList = {
        ids: upTo(100),
        before: (read) => {
          if (read === 5)
            throw new PlatformError(code, clientMessages.no_list({ endpoint: 'GET /api/order' }));
        },
      };
      const reading = readList(list, {}, { concurrency: 1 });
      if (code !== 'rate_limited') return expect(reading).rejects.toMatchObject({ code });
      expect(await reading).toMatchObject({ ids: upTo(50), complete: false, total: 100 });
      expect((await reading).notes[0]).toMatchObject({
        code: 'not_whole',
        why: 'list_stopped',
        reason: expect.objectContaining({ endpoint: 'GET /api/order' }),
      });
    },
  );

  test('tells its progress, which never falls', async () => {
    const told: { read: number; total?: number }[] = [];
    await readList({ ids: upTo(95) }, { onProgress: (progress) => told.push(progress) });
    expect(told.map(({ read }) => read)).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 95]);
    expect(told.at(-1)).toEqual({ read: 95, total: 95 });
  });

  test('never repeats a row, and calls nothing complete that lacks one, however the list moves', async () => {
    const change = fc.record({
      read: fc.nat(20),
      insert: fc.nat(3),
      remove: fc.option(fc.nat(100), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(120),
        fc.uniqueArray(change, { maxLength: 4, selector: ({ read }) => read }),
        async (count, changes) => {
          let fresh = 10_000;
          const stayed = new Set(upTo(count));
          const list: FakeList = {
            ids: upTo(count),
            before: (read, { ids }) => {
              for (const { insert, remove } of changes.filter((change) => change.read === read)) {
                if (remove === undefined) for (let i = 0; i < insert; i++) ids.unshift(fresh++);
                const [gone] = remove === undefined ? [] : ids.splice(remove, 1);
                if (gone !== undefined) stayed.delete(gone);
              }
            },
          };
          const { ids, complete, rows } = await readList(list, {}, { concurrency: 3 });
          expect(new Set(ids).size).toBe(rows.length);
          const lacks = [...stayed].filter((id) => !ids.includes(id));
          if (complete) expect(lacks).toEqual([]);
          if (changes.every(({ remove }) => remove === undefined)) expect(lacks).toEqual([]);
        },
      ),
      { numRuns: runs(170) },
    );
  });
});

interface FeedPage {
  data: unknown;
  next_cursor?: unknown;
  has_more?: unknown;
}

async function followPages(pages: (FeedPage | Error)[], options: Partial<FollowOptions> = {}) {
  const asked: Query[] = [];
  const read = async (query: Query) => {
    asked.push(query);
    const body = pages[Math.min(asked.length, pages.length) - 1];
    if (body instanceof Error) throw body;
    return responseOf({ body, readAtMs: asked.length, size: 1 }, false);
  };
  const all = { query: { since: '2026-03-01' }, endpoint: 'GET /api/order/delta', pageSize: 250 };
  const followed = await followChanges({ ...all, maxRows: 1000, ...options }, read);
  return { ...followed, asked };
}

describe('followChanges', () => {
  test('goes from since by cursor to the end, and hands the last cursor back', async () => {
    const followed = await followPages([
      { data: rowsOf(1, 2), next_cursor: 'a', has_more: true },
      { data: rowsOf(3), next_cursor: 'b', has_more: false },
    ]);
    expect(followed).toMatchObject({
      rows: rowsOf(1, 2, 3),
      calls: 2,
      nextCursor: 'b',
      complete: true,
      notes: [],
      readAtMs: 1,
    });
    expect(followed.asked).toEqual([
      { since: '2026-03-01', limit: 250 },
      { cursor: 'a', limit: 250 },
    ]);
  });

  test('hands the incoming cursor back when nothing changed', async () => {
    const page = { data: [], next_cursor: 'c', has_more: false };
    const followed = await followPages([page], { query: { cursor: 'c', language_code: 'nl' } });
    expect(followed).toMatchObject({ rows: [], nextCursor: 'c', complete: true, notes: [] });
    expect(followed.asked).toEqual([{ cursor: 'c', language_code: 'nl', limit: 250 }]);
  });

  test.each<[string, unknown[]]>([
    ['stands still', ['a']],
    ['is missing', [undefined]],
    ['is no text', [7]],
    ['goes in a circle', ['a', 'b', 'a']],
  ])('stops where a cursor %s though more is said to follow', async (_, cursors) => {
    const followed = await followPages(
      cursors.map((next_cursor, id) => ({ data: rowsOf(id), next_cursor, has_more: true })),
    );
    expect(followed).toMatchObject({ complete: false });
    expect(followed.calls).toBeLessThan(5);
    expect(followed.notes).toContainEqual(clientMessages.not_whole({ why: 'cursor_stands_still' }));
  });

  test('stops at the most rows it may read, and can go on from there', async () => {
    const [two, one] = [rowsOf(1, 2), rowsOf(3)];
    const pages = [
      { data: two, next_cursor: 'a', has_more: true },
      { data: one, next_cursor: 'b', has_more: true },
    ];
    const followed = await followPages(pages, { maxRows: 3 });
    expect(followed).toMatchObject({ rows: [...two, ...one], nextCursor: 'b', complete: false });
    expect(followed.asked.at(-1)).toMatchObject({ limit: 1 });
    expect(followed.notes).toMatchObject([{ code: 'row_limit' }]);
  });

  test('keeps what it has when the rate budget ends it', async () => {
    const spent = new PlatformError(
      'rate_limited',
      clientMessages.budget_spent({
        endpoint: 'GET /api/order/delta',
        of: 'key',
        waitMs: 50_000,
        at: '2026-11-20T12:00:50+01:00',
        refusal: undefined,
      }),
    );
    const page = { data: rowsOf(1), next_cursor: 'a', has_more: true };
    const kept = { rows: rowsOf(1), nextCursor: 'a', complete: false };
    expect(await followPages([page, spent])).toMatchObject(kept);
    await expect(followPages([spent])).rejects.toBe(spent);
  });

  test('refuses an answer without a list', () =>
    expect(followPages([{ data: null }])).rejects.toMatchObject({ code: 'malformed_answer' }));

  test('gives each row once, in its last version, wherever pages end (docs/platform.md#change-feeds)', async () => {
    const page = fc.record({ ids: fc.array(fc.nat(15), { maxLength: 9 }), again: fc.nat(4) });
    await fc.assert(
      fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 9 }), async (pages) => {
        let changes: { id: number; version: number }[] = [];
        const given = pages.map(({ ids, again }, index) => {
          const fresh = ids.map((id, at) => ({ id, version: changes.length + at }));
          // What a page repeats are the last changes of those before.
          const data = [...changes.slice(changes.length - again), ...fresh];
          changes = [...changes, ...fresh];
          return { data, next_cursor: String(index), has_more: index < pages.length - 1 };
        });
        const followed = await followPages(given);
        const repeated = given.flatMap(({ data }) => data).length - followed.rows.length;
        const note = { code: 'repeated_rows', repeated, rows: followed.rows.length };
        expect(followed).toMatchObject({ complete: true, notes: repeated > 0 ? [note] : [] });
        const last = new Map(changes.map((change) => [change.id, change]));
        expect(followed.rows).toHaveLength(last.size);
        expect(new Map(followed.rows.map((row) => [row.id, row]))).toEqual(last);
      }),
      { numRuns: runs(100) },
    );
  });
});
