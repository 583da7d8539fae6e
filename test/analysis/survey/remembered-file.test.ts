import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRememberedFile } from '../../../src/analysis/survey/remembered-file.ts';
import { missingRedis, startRedis } from '../../redis-server.ts';
import { runSql, sandboxAt, serverOver, type TestServer } from '../../server-over.ts';
import { closeAfterwards } from '../../setup/closing.ts';
import { folderWith } from '../../setup/folder.ts';

const day = 24 * 3_600_000;
const account = { baseUrl: 'https://a', authUrl: 'https://b', clientId: 'c', clientSecret: 'd' };
const asText = (value: unknown) => (typeof value === 'string' ? value : undefined);

function openAt(folder: string, more: Partial<typeof account> & { now?: () => number } = {}) {
  const failures: unknown[] = [];
  const log = { debug: (facts: unknown) => failures.push(facts) };
  const file = openRememberedFile({ ...account, folder, now: () => 0, log, ...more });
  return { ...file, failures };
}

/** The only file of a folder. */
function pathIn(folder: string): string {
  const [name = '', ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  return join(folder, name);
}

describe('a remembered file', () => {
  test('gives the next process what was put, until it is too old, and to no other key', async () => {
    const folder = join(folderWith(), 'cache');
    const first = openAt(folder);
    await Promise.all([first.put('a', 'x', 30 * day), first.put('b', 'y', day)]);
    expect(await openAt(folder).get('a', asText)).toBe('x');
    expect(await openAt(folder).get('b', asText)).toBe('y');
    expect(await openAt(folder, { now: () => 2 * day }).get('a', asText)).toBe('x');
    expect(await openAt(folder, { now: () => 2 * day }).get('b', asText)).toBeUndefined();
    expect(await openAt(folder, { clientSecret: 'e' }).get('a', asText)).toBeUndefined();
    expect(readFileSync(pathIn(folder), 'utf8')).not.toContain('https');
  });

  test('is for the eyes of its owner only', async () => {
    const folder = join(folderWith(), 'cache');
    await openAt(folder).put('a', 'x', day);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(pathIn(folder)).mode & 0o777).toBe(0o600);
  });

  test.each<[what: string, spoil: (path: string) => void]>([
    ['is broken', (path) => writeFileSync(path, '{"version":1,"val')],
    ['is of a later version', (path) => writeFileSync(path, written({ version: 2 }))],
    ['ends later than any does', (path) => writeFileSync(path, written({ untilMs: 99 * day }))],
    ['others may read', (path) => chmodSync(path, 0o644)],
    ['is no object', (path) => writeFileSync(path, '[]')],
  ])('that %s is ignored, and replaced by what comes next', async (_, spoil) => {
    const folder = join(folderWith(), 'cache');
    await openAt(folder).put('a', 'x', day);
    const path = pathIn(folder);
    expect(readFileSync(path, 'utf8')).toBe(written({}));
    spoil(path);
    const { get, put, failures } = openAt(folder);
    expect(await get('a', asText)).toBeUndefined();
    await put('b', 'y', day);
    expect(failures).toEqual([]);
    expect(await openAt(folder).get('b', asText)).toBe('y');
    expect(statSync(pathIn(folder)).mode & 0o777).toBe(0o600);
  });

  test('in place of which there is a link is not followed, and a folder that cannot be written changes nothing', async () => {
    const folder = join(folderWith(), 'cache');
    await openAt(folder).put('a', 'x', day);
    const path = pathIn(folder);
    const other = join(folderWith({ 'other.json': written({}) }), 'other.json');
    const linked = join(folderWith(), 'cache');
    mkdirSync(linked, { mode: 0o700 });
    symlinkSync(other, path.replace(folder, linked));
    await openAt(linked).put('b', 'y', day);
    expect(readFileSync(other, 'utf8')).toBe(written({}));
    const blocked = openAt(join(path, 'below'));
    await blocked.put('a', 'x', day);
    expect(await blocked.get('a', asText)).toBeUndefined();
    expect(blocked.failures).toHaveLength(1);
  });
});

function written({ version = 1, untilMs = day }): string {
  return JSON.stringify({ version, values: { a: { untilMs, value: 'x' } } });
}

describe('a server before an account that another has looked at', () => {
  const open = async () => {
    const sandbox = await sandboxAt({ description: 'bare', dialect: 'other', ordersPerDay: 12 });
    const start = (settings: Record<string, string>) => serverOver('memory', { sandbox, settings });
    const tables = async (server: TestServer) => {
      const before = sandbox.stats.requests;
      const { rows } = await runSql(server, 'SELECT * FROM tables');
      return { rows, requests: sandbox.stats.requests - before };
    };
    return { start, tables };
  };

  test('looks at nothing and says the same, where its file remembers it', async () => {
    const { start, tables } = await open();
    const settings = { COMMERCE_KEEP_DIR: folderWith() };
    const server = await start(settings);
    const first = await tables(server);
    await server.close();
    const second = await tables(await start(settings));
    expect(first.requests).toBeGreaterThan(20);
    // Whose order lines are kept.
    expect(second.requests).toBeLessThanOrEqual(1);
    expect(second.rows).toEqual(first.rows);
  });

  test.skipIf(missingRedis)('does so as a replica that had started before', async () => {
    const redis = await startRedis();
    closeAfterwards(redis.close);
    const { start, tables } = await open();
    const settings = { COMMERCE_REDIS_URL: redis.url };
    const [one, other] = [await start(settings), await start(settings)];
    const first = await tables(one);
    const second = await tables(other);
    expect(first.requests).toBeGreaterThan(20);
    expect(second).toEqual({ rows: first.rows, requests: 0 });
  });
});
