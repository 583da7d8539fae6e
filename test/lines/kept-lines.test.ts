import fs, { copyFile, mkdir, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KeptLines, type KeptOrder } from '../../src/lines/kept-lines.ts';

const me = 'a'.repeat(32);
const other = 'b'.repeat(32);
const readAtMs = Date.parse('2026-11-20T10:00:00Z');

let folder = '';
const opened: KeptLines[] = [];
const leftOut: string[] = [];

beforeEach(async () => {
  folder = join(await fs.mkdtemp(join(tmpdir(), "kept 'lines' ")), 'keep');
});

afterEach(async () => {
  for (const lines of opened.splice(0)) lines.close();
  leftOut.length = 0;
  await rm(join(folder, '..'), { recursive: true, force: true });
});

/** Starts another process on the folder. */
function open(owner = me, maxBytes = 100_000_000, key = 'the key'): KeptLines {
  const onLeftOut = (file: string) => void leftOut.push(file);
  const lines = new KeptLines({ folder, owner, key, maxBytes, onLeftOut });
  opened.push(lines);
  return lines;
}

/** Lines as a platform may send them. */
const linesOf = (id: number, title = `Café "Zuid" ${id}`) => [
  { id: id * 10, order_id: id, kind: 'product', title, total_wt: 12.5, tax: null, tags: ['a'] },
  { id: id * 10 + 1, order_id: id, kind: 'payment', title: 'Betaalkosten', total_wt: 0.95 },
];

function order(
  id: number,
  { day = '2026-11-01', stamp = id * 3, atMs = readAtMs, title = '' } = {},
): KeptOrder {
  const lines = JSON.stringify(title === '' ? linesOf(id) : linesOf(id, title));
  return { id, stamp, shopId: id % 5 || null, day, readAtMs: atMs, lines };
}

function orders(from: number, to: number, more: Parameters<typeof order>[1] = {}): KeptOrder[] {
  return Array.from({ length: to - from + 1 }, (_, index) => order(from + index, more));
}

const stamped = (from: number, to: number) =>
  orders(from, to).map(({ id, stamp }) => ({ id, stamp }));

/** Which of these orders are found, in order. */
async function idsIn(lines: KeptLines, from: number, to: number): Promise<number[]> {
  const { rows } = await lines.find(stamped(from, to));
  return [...rows.keys()].sort((a, b) => a - b);
}

async function filesOf(owner = me): Promise<string[]> {
  return (await readdir(join(folder, `lines-${owner}`))).sort();
}

const placeOf = (file: string, owner = me) => join(folder, `lines-${owner}`, file);

describe('lines that are kept', () => {
  test('lines are found under their stamp by their key alone, as they came, with the time of the oldest', async () => {
    const lines = open();
    await lines.keep([...orders(1, 39), { ...order(40), lines: '[]' }]);
    await lines.keep([order(41, { atMs: readAtMs - 5000 })]);
    const found = await open().find(stamped(1, 45));
    expect([...found.rows.keys()].sort((a, b) => a - b)).toEqual(orders(1, 41).map(({ id }) => id));
    expect(found.rows.get(7)).toEqual(linesOf(7));
    expect(found.rows.get(40)).toEqual([]);
    expect(found.sinceMs).toBe(readAtMs - 5000);
    const changed = await lines.find([{ id: 1, stamp: 4 }, ...stamped(2, 2)]);
    expect([...changed.rows.keys()]).toEqual([2]);
    expect((await open(other).find(stamped(1, 3))).rows.size).toBe(0);
  });

  test('lines are read by their owner alone, and a day without orders is noted before any is kept', async () => {
    const lines = open();
    expect(await idsIn(lines, 1, 0)).toEqual([]);
    await lines.markFilled('2026-11-03');
    expect(await filesOf()).toEqual(['2026-11-03.filled']);
    await lines.keep(orders(1, 3));
    const [file = ''] = await filesOf();
    const modes = [folder, join(folder, `lines-${me}`), placeOf(file)].map(
      async (path) => (await stat(path)).mode & 0o777,
    );
    expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o600]);
  });
});

describe('merging', () => {
  test('merging makes one part of a month, with the newest lines of each order', async () => {
    const lines = open();
    await lines.keep(orders(1, 9));
    await lines.keep([order(5, { stamp: 99, atMs: readAtMs + 1000, title: 'new' })]);
    await lines.keep(orders(20, 22, { day: '2026-10-02' }));
    await lines.merge();
    expect(await filesOf()).toHaveLength(2);
    const found = await lines.find([...stamped(1, 22), { id: 5, stamp: 99 }]);
    expect(found.rows.size).toBe(12);
    expect(found.rows.get(5)).toEqual(linesOf(5, 'new'));
  });

  test('merging begins by itself where a month has many parts', async () => {
    const lines = open();
    for (let part = 0; part < 30; part++) await lines.keep([order(part + 1)]);
    expect((await filesOf()).length).toBeLessThan(10);
    expect((await lines.find(stamped(1, 30))).rows.size).toBe(30);
  });

  test('merging by several processes at once loses nothing to those who read', async () => {
    const [one, two, reader] = [open(), open(), open()];
    await reader.find(stamped(1, 1));
    const finds: Promise<unknown>[] = [];
    let missing = 0;
    for (let round = 0; round < 6; round++) {
      const from = round * 20 + 1;
      await Promise.all([one.keep(orders(from, from + 9)), two.keep(orders(from + 10, from + 19))]);
      const last = from + 19;
      finds.push(reader.find(stamped(1, last)).then(({ rows }) => (missing += last - rows.size)));
      await Promise.all([one.merge(), two.merge()]);
    }
    await Promise.all(finds);
    expect(missing).toBe(0);
    await one.merge();
    expect(await filesOf()).toHaveLength(1);
    expect((await reader.find(stamped(1, 120))).rows.size).toBe(120);
  });
});

describe('a part that is not what it says', () => {
  const spoilt: Record<string, () => Promise<void>> = {
    async 'cut off'() {
      const [file = ''] = await filesOf();
      const { size } = await stat(placeOf(file));
      await truncate(placeOf(file), size - 30);
    },
    async 'under the name of another'() {
      const [first = '', second = ''] = await filesOf();
      await copyFile(placeOf(second), placeOf(first));
    },
    async renamed() {
      const [file = ''] = await filesOf();
      await fs.rename(placeOf(file), placeOf(file.replace('_1-3_', '_1-4_')));
    },
  };

  test.each(Object.entries(spoilt))(
    'a part that is %s is left out and told once',
    async (_, spoil) => {
      const lines = open();
      await lines.keep(orders(1, 3));
      await lines.keep(orders(4, 6));
      await spoil();
      for (let look = 0; look < 2; look++) expect(await idsIn(lines, 1, 6)).toEqual([4, 5, 6]);
      expect(leftOut).toHaveLength(1);
    },
  );

  test('a part from the folder of another key, or made without the secret, is left out', async () => {
    const lines = open();
    await lines.keep(orders(7, 9));
    await open(me, 100_000_000, 'a guess').keep(orders(1, 3));
    await open(other).keep(orders(4, 6));
    const [file = ''] = await filesOf(other);
    await copyFile(placeOf(file, other), placeOf(file));
    expect(await idsIn(lines, 1, 9)).toEqual([7, 8, 9]);
    expect(leftOut).toHaveLength(2);
    expect(leftOut).toContain(placeOf(file));
  });

  test('a damaged part stays where it is when the others are merged', async () => {
    const lines = open();
    for (const from of [1, 4, 7]) await lines.keep(orders(from, from + 2));
    const [file = ''] = await filesOf();
    await truncate(placeOf(file), 100);
    await lines.merge();
    expect(await filesOf()).toHaveLength(2);
    expect((await lines.find(stamped(1, 9))).rows.size).toBe(6);
  });
});

describe('what cannot be kept', () => {
  test('the oldest parts go first where there is no room', async () => {
    const lines = open(me, 1_000_000);
    const noise = () => Array.from({ length: 400 }, () => Math.random().toString(36)).join('');
    let dropped: string | undefined;
    for (let day = 10; day <= 20; day++) {
      const own = orders(day * 100, day * 100 + 39, { day: `2026-11-${day}` });
      const told = await lines.keep(
        own.map((it) => ({ ...it, lines: JSON.stringify([{ noise: noise() }]) })),
      );
      dropped = told ?? dropped;
    }
    const sizes = (await filesOf()).map(async (file) => (await stat(placeOf(file))).size);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThanOrEqual(1_000_000);
    expect(bytes).toBeGreaterThan(500_000);
    expect(dropped).toMatch(/^2026-11-1\d$/);
    expect((await lines.find(stamped(2000, 2039))).rows.size).toBe(40);
    expect((await lines.find(stamped(1000, 1039))).rows.size).toBe(0);
  });

  test('a folder that others may write to, or that cannot be made, is an error', async () => {
    await fs.writeFile(folder, 'no folder');
    const lines = open();
    await expect(lines.keep(orders(1, 3))).rejects.toThrow(/EEXIST|ENOTDIR/);
    if (process.platform === 'win32') return;
    await rm(folder);
    await mkdir(folder);
    await fs.chmod(folder, 0o777);
    await expect(lines.find(stamped(1, 3))).rejects.toThrow(/folder_open_to_others/);
  });
});
