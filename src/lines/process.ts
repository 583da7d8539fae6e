/**
 * The process that keeps order lines. It runs no statements of callers and reaches one folder. Parts are written
 * under other names and then renamed. There are no locks: merged parts are removed once their replacement exists, and
 * a reader that misses a part reads the folder again.
 */
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Day } from '../core/calendar.ts';
import { messageOf } from '../core/errors.ts';
import { claimFolder } from '../core/files.ts';
import { groupBy } from '../core/json.ts';
import { serveParent } from '../core/process/child-process.ts';
import { openDatabase } from '../core/process/duckdb.ts';
import { quoteText } from '../core/text.ts';
import {
  digestOf,
  type FoundOrders,
  isUnfinished,
  type KeptOrder,
  type LinesCommand,
  type LinesFolder,
  type LinesReply,
  ownerFolder,
  type Part,
  type PartialReply,
  partName,
  readFilledName,
  readOwner,
  readPartName,
  type WantedOrders,
} from './kept-lines.ts';

interface File extends Part {
  owner: string;
  path: string;
  bytes: number;
  writtenMs: number;
}

/** Most parts of a month; more of them are merged while lines are added. */
const maxParts = 24;

/** Most attempts to read a folder that changes meanwhile. */
const maxAttempts = 8;

/** Milliseconds after which an unfinished file belongs to a process that is gone. */
const abandonedMs = 600_000;

/** Share of the folder that is freed in addition. Parts that together exceed it are not merged. */
const spareShare = 0.1;

const orderType = {
  order_id: 'BIGINT',
  stamp: 'BIGINT',
  shop_id: 'BIGINT',
  day: 'DATE',
  read_at: 'TIMESTAMPTZ',
  lines: 'VARCHAR',
};

const columns = Object.keys(orderType).join(', ');

process.umask(0o077);

const [folder = '', owner = '', maxBytes = ''] = process.argv.slice(2);
let parts: Parts | undefined;

serveParent<LinesCommand, PartialReply, LinesReply>(async ({ key, ...command }, give) => {
  try {
    const onLeftOut = (leftOut: string) => void give({ leftOut });
    parts ??= await Parts.open({ folder, owner, key, maxBytes: Number(maxBytes), onLeftOut });
    if (command.op === 'find') await parts.find(command, (orders) => give({ found: orders }));
    if (command.op === 'merge') await parts.merge();
    const droppedTo = command.op === 'keep' ? await parts.keep(command.orders) : undefined;
    return { droppedTo };
  } catch (error) {
    return { failure: messageOf(error) };
  }
});

class Parts {
  readonly #settings: LinesFolder;
  readonly #place: string;
  readonly #database: DuckDBConnection;
  /** Whether parts match their digests, by path, size and time of writing. */
  readonly #checked = new Map<string, boolean>();

  private constructor(settings: LinesFolder, database: DuckDBConnection) {
    this.#settings = settings;
    this.#place = placeOf(settings);
    this.#database = database;
  }

  /** Opens the folder, made for this user alone if it is missing. @throws Error for a folder of another user */
  static async open(settings: LinesFolder): Promise<Parts> {
    await claimFolder(placeOf(settings));
    const allowed = quoteText(`${settings.folder}/`);
    // Merging fits into this memory, since parts are read and written in pieces.
    const bounds = { memory_limit: '512MiB', threads: '2', preserve_insertion_order: 'false' };
    const reach = [`SET TimeZone = 'UTC'`, `SET allowed_directories = [${allowed}]`];
    const { connection } = await openDatabase(bounds, reach);
    return new Parts(settings, connection);
  }

  /** Gives lines by order and stamp; those of an order may come twice. */
  async find(wanted: WantedOrders, give: (orders: FoundOrders) => Promise<void>): Promise<void> {
    await this.#database.run(
      `CREATE OR REPLACE TEMP TABLE wanted AS SELECT unnest(pairs[1]) AS id, unnest(pairs[2]) AS stamp
      FROM (SELECT from_json($1, '[["BIGINT"]]') AS pairs)`,
      [wanted.wanted],
    );
    await this.#readParts(
      ({ minId, maxId }) => minId <= wanted.maxId && maxId >= wanted.minId,
      async (files) => {
        const sql = `SELECT order_id::DOUBLE, epoch_ms(read_at)::DOUBLE, lines
          FROM ${readerSql(files)} part JOIN wanted ON order_id = id AND part.stamp = wanted.stamp`;
        const result = await this.#database.stream(sql);
        for (;;) {
          const chunk = await result.fetchChunk();
          if (chunk === null || chunk.rowCount === 0) return;
          const [ids = [], readAt = [], lines = []] = chunk.getColumns();
          const sinceMs = Math.min(...readAt.map(Number));
          await give({ ids: ids.map(Number), lines: lines.map(String), sinceMs });
        }
      },
    );
  }

  /** Keeps lines in a part for each month. @returns the last day whose lines were removed to make room, if any */
  async keep(orders: readonly KeptOrder[]): Promise<Day | undefined> {
    for (const [month, monthOrders] of groupBy(orders, ({ day }) => monthOf(day))) {
      const rows = monthOrders.map(({ id, stamp, shopId, day, readAtMs, lines }) => {
        const read_at = new Date(readAtMs).toISOString();
        return { order_id: id, stamp, shop_id: shopId, day, read_at, lines };
      });
      await this.#write(
        `SELECT unnest(from_json($1, ${quoteText(JSON.stringify([orderType]))}), recursive := true)`,
        [JSON.stringify(rows)],
      );
      if ((await this.#ownParts()).filter(isInMonth(month)).length > maxParts)
        await this.#mergeMonth(month);
    }
    return this.#makeRoom();
  }

  async merge(): Promise<void> {
    const months = new Set((await this.#ownParts()).map(({ from }) => monthOf(from)));
    for (const month of months) await this.#mergeMonth(month);
    await this.#removeAbandoned();
  }

  async #mergeMonth(month: string): Promise<void> {
    const { maxBytes } = this.#settings;
    await this.#readParts(isInMonth(month), async (files) => {
      if (files.length < 2 || bytesOf(files) > maxBytes * spareShare) return;
      // Lines are the bulk of a part, so the newest of each order is found without them.
      const replacement = await this.#write(
        `WITH part AS (FROM ${readerSql(files, ', filename = true, file_row_number = true')}),
        newest AS (SELECT order_id AS id, max((read_at, filename, file_row_number)) AS place FROM part GROUP BY ALL)
        SELECT ${columns} FROM part JOIN newest ON order_id = id AND (read_at, filename, file_row_number) = place`,
      );
      for (const { path } of files) if (path !== replacement) await rm(path, { force: true });
    });
  }

  async #write(sql: string, values: string[] = []): Promise<string> {
    // `fill --clear` may have removed the folder.
    await claimFolder(this.#place);
    const unfinished = join(this.#place, `${randomUUID()}.unfinished`);
    try {
      const target = quoteText(unfinished);
      const copy = `COPY (${sql}) TO ${target} (FORMAT parquet, COMPRESSION zstd)`;
      await this.#database.run(copy, values);
      const read = await this.#database.runAndReadAll(
        `SELECT min(day)::VARCHAR, max(day)::VARCHAR, min(order_id), max(order_id), count(*) FROM read_parquet(${target})`,
      );
      const [[from, to, minId, maxId, orders] = []] = read.getRows();
      const part = {
        from: String(from),
        to: String(to),
        minId: Number(minId),
        maxId: Number(maxId),
        orders: Number(orders),
      };
      const digest = digestOf(this.#settings, part, await readFile(unfinished));
      const path = join(this.#place, partName({ ...part, digest }));
      await rename(unfinished, path);
      return path;
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** Reads the wanted sound parts of this key, again if one was merged meanwhile. */
  async #readParts(
    isWanted: (file: File) => boolean,
    read: (files: readonly File[]) => Promise<void>,
  ): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const files = (await this.#ownParts()).filter(isWanted);
      try {
        const sound: File[] = [];
        for (const file of files) if (await this.#isSound(file)) sound.push(file);
        if (sound.length > 0) await read(sound);
        return;
      } catch (error) {
        const present = new Set((await this.#files()).map(({ path }) => path));
        if (attempt === maxAttempts || files.every(({ path }) => present.has(path))) throw error;
      }
    }
  }

  async #isSound(file: File): Promise<boolean> {
    const { path, owner: _, digest, bytes, writtenMs, ...part } = file;
    const key = `${path} ${bytes} ${writtenMs}`;
    const isSound =
      this.#checked.get(key) ?? digestOf(this.#settings, part, await readFile(path)) === digest;
    if (!isSound && !this.#checked.has(key)) this.#settings.onLeftOut(path);
    this.#checked.set(key, isSound);
    return isSound;
  }

  /** Removes the oldest parts, and some more, if the folder is too large. @returns the last removed day */
  async #makeRoom(): Promise<Day | undefined> {
    const { maxBytes } = this.#settings;
    const files = (await this.#files()).sort((a, b) => (a.from < b.from ? -1 : 1));
    let bytes = bytesOf(files);
    if (bytes <= maxBytes) return undefined;
    let last: Day | undefined;
    while (bytes > maxBytes * (1 - spareShare)) {
      const oldest = files.shift();
      if (oldest === undefined) break;
      const { path, to } = oldest;
      await rm(path, { force: true });
      bytes -= oldest.bytes;
      if (last === undefined || to > last) last = to;
      for (const name of await readdir(dirname(path))) {
        const day = readFilledName(name);
        if (day !== undefined && day <= to) await rm(join(dirname(path), name), { force: true });
      }
    }
    return last;
  }

  async #removeAbandoned(): Promise<void> {
    for (const name of (await readdir(this.#place)).filter(isUnfinished)) {
      const path = join(this.#place, name);
      const stats = await stat(path).catch(ignoreMissing);
      if (stats && stats.mtimeMs < Date.now() - abandonedMs) await rm(path, { force: true });
    }
  }

  async #files(attempt = 1): Promise<File[]> {
    const files: File[] = [];
    for (const name of await readdir(this.#settings.folder)) {
      const owner = readOwner(name);
      if (owner === undefined) continue;
      const place = join(this.#settings.folder, name);
      for (const file of (await readdir(place).catch(ignoreMissing)) ?? []) {
        const part = readPartName(file);
        const path = join(place, file);
        if (!part) continue;
        const stats = await stat(path).catch(ignoreMissing);
        // The part was merged meanwhile, and its replacement may not be listed yet.
        if (!stats && attempt < maxAttempts) return this.#files(attempt + 1);
        if (!stats) continue;
        files.push({ ...part, owner, path, bytes: stats.size, writtenMs: stats.mtimeMs });
      }
    }
    return files;
  }

  async #ownParts(): Promise<File[]> {
    return (await this.#files()).filter(({ owner }) => owner === this.#settings.owner);
  }
}

function placeOf({ folder, owner }: LinesFolder): string {
  return join(folder, ownerFolder(owner));
}

function isInMonth(month: string): (file: File) => boolean {
  return ({ from }) => monthOf(from) === month;
}

function bytesOf(files: readonly File[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

function readerSql(files: readonly File[], options = ''): string {
  return `read_parquet([${files.map(({ path }) => quoteText(path)).join(', ')}]${options})`;
}

function ignoreMissing(): undefined {
  return undefined;
}

function monthOf(day: Day): string {
  return day.slice(0, '2026-11'.length);
}
