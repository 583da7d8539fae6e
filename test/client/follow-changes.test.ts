import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FollowOptions, followChanges } from '../../src/client/long-reads.ts';
import { responseOf } from '../../src/client/request/get.ts';
import type { Query } from '../../src/client/transport/http.ts';
import { PlatformError } from '../../src/core/errors.ts';
import { runs } from '../property-runs.ts';

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

const rows = (...ids: number[]) => ids.map((id) => ({ id }));

describe('followChanges', () => {
  test('goes from since by cursor to the end, and hands the last cursor back', async () => {
    const followed = await followPages([
      { data: rows(1, 2), next_cursor: 'a', has_more: true },
      { data: rows(3), next_cursor: 'b', has_more: false },
    ]);
    expect(followed).toMatchObject({
      rows: rows(1, 2, 3),
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
      cursors.map((next_cursor, id) => ({ data: rows(id), next_cursor, has_more: true })),
    );
    expect(followed).toMatchObject({ complete: false });
    expect(followed.calls).toBeLessThan(5);
    expect(followed.notes).toContainEqual({
      code: 'not_whole',
      why: 'cursor_stands_still',
    });
  });

  test('stops at the most rows it may read, and can go on from there', async () => {
    const [two, one] = [rows(1, 2), rows(3)];
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
    const spent = new PlatformError('rate_limited', {
      code: 'budget_spent',
      endpoint: 'GET /api/order/delta',
      waitMs: 50_000,
      refusal: undefined,
    });
    const page = { data: rows(1), next_cursor: 'a', has_more: true };
    const kept = { rows: rows(1), nextCursor: 'a', complete: false };
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
