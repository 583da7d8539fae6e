/**
 * The parts of a folder, written beside and renamed. No process holds a lock: what is folded is taken
 * away only when the part that holds it again is there, and who misses a part looks again.
 */
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Day, monthOf } from '../../core/calendar.ts';
import type { FoundOrders, KeptOrder, LinesCommand } from '../messages.ts';
import {
  digestOf,
  filledName,
  isUnfinished,
  ownerFolder,
  type Part,
  partName,
  readFilledName,
  readOwner,
  readPartName,
} from '../part-name.ts';
import { FolderDatabase, quoteText } from './database.ts';

export interface PartsSettings {
  /** An absolute path. */
  folder: string;
  /** Whose lines are read and kept; of others, nothing but the room they take is seen. */
  owner: string;
  /** Most bytes of all that is in the folder. */
  mostBytes: number;
  /** Called once for a part that is not what its name says. */
  leaveOut(file: string): void;
}

/** A part where it is. */
interface File extends Part {
  owner: string;
  path: string;
}

/** With more parts a month is folded while others are added. */
const mostParts = 24;

/** How often a folder may change while it is read. */
const maxLooks = 8;

/** A process that writes for so long is gone. */
const abandonedMs = 600_000;

/** What is made room for at once, beyond what is needed. */
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

export class Parts {
  readonly #settings: PartsSettings;
  readonly #database: FolderDatabase;
  /** Size and time of the parts that are what their names say, by their paths. */
  readonly #verified = new Map<string, string>();
  readonly #leftOut = new Set<string>();
  #written = 0;

  private constructor(settings: PartsSettings, database: FolderDatabase) {
    this.#settings = settings;
    this.#database = database;
  }

  /** The folder is made where it is missing. */
  static async open(settings: PartsSettings): Promise<Parts> {
    await mkdir(join(settings.folder, ownerFolder(settings.owner)), { recursive: true });
    return new Parts(settings, await FolderDatabase.open(settings.folder));
  }

  /** Gives the lines of the orders that are kept under these stamps; those of an order may come twice. */
  async find(
    { ids, stamps }: Extract<LinesCommand, { op: 'find' }>,
    give: (found: FoundOrders) => Promise<void>,
  ): Promise<void> {
    if (ids.length === 0) return;
    await this.#database.run(
      `CREATE OR REPLACE TEMP TABLE wanted AS SELECT unnest(pairs[1]) AS id, unnest(pairs[2]) AS stamp
      FROM (SELECT from_json($1, '[["BIGINT"]]') AS pairs)`,
      JSON.stringify([[...ids], [...stamps]]),
    );
    const least = ids.reduce((a, b) => Math.min(a, b));
    const most = ids.reduce((a, b) => Math.max(a, b));
    await this.#reading(
      (file) => this.#isOwn(file) && file.leastId <= most && file.mostId >= least,
      async (files) => {
        const sql = `SELECT order_id::DOUBLE, epoch_ms(read_at)::DOUBLE, lines
          FROM ${reader(files)} part JOIN wanted ON order_id = id AND part.stamp = wanted.stamp`;
        for await (const [
          found = [],
          readAt = [],

          lines = [],
        ] of this.#database.columns(sql))
          await give({
            ids: Float64Array.from(found, Number),
            lines: lines.map(String),
            sinceMs: Math.min(...readAt.map(Number)),
          });
      },
    );
  }

  /** Keeps lines, a part for each month. Gives the last day that had to go for want of room, if any. */
  async keep(orders: readonly KeptOrder[]): Promise<Day | undefined> {
    for (const month of new Set(orders.map(({ day }) => monthOf(day)))) {
      const own = orders.filter(({ day }) => monthOf(day) === month);
      const rows = own.map(({ id, stamp, shopId, day, readAtMs, lines }) => {
        const read_at = new Date(readAtMs).toISOString();
        return { order_id: id, stamp, shop_id: shopId, day, read_at, lines };
      });
      await this.#write(
        this.#settings.owner,
        `SELECT unnest(from_json($1, ${quoteText(JSON.stringify([orderType]))}), recursive := true)`,
        JSON.stringify(rows),
      );
      const parts = (await this.#files()).filter((file) => this.#isOwn(file) && isOf(month, file));
      if (parts.length > mostParts) await this.#foldMonth(month);
    }
    return this.#makeRoom();
  }

  /** Makes one part of each month. */
  async fold(): Promise<void> {
    const own = (await this.#files()).filter((file) => this.#isOwn(file));
    for (const month of new Set(own.map(({ from }) => monthOf(from)))) await this.#foldMonth(month);
    await this.#sweep();
  }

  async #foldMonth(month: string): Promise<void> {
    await this.#reading(
      (file) => this.#isOwn(file) && isOf(month, file),
      async (files) => {
        if (files.length > 1) await this.#replace(files, this.#settings.owner);
      },
    );
  }

  /** Writes parts anew as one: of each order what was read last, and nothing of days up to `beyond`. */
  async #replace(files: readonly File[], owner: string, beyond = '0000-01-01'): Promise<void> {
    // The lines themselves, which are most of it, are not held to find out which were read last.
    const sql = `WITH part AS (FROM ${reader(files, ', filename = true, file_row_number = true')} WHERE day > DATE ${quoteText(beyond)}),
      newest AS (SELECT order_id AS id, max((read_at, filename, file_row_number)) AS place FROM part GROUP BY ALL)
      SELECT ${columns} FROM part JOIN newest ON order_id = id AND (read_at, filename, file_row_number) = place`;
    const written = await this.#write(owner, sql);
    for (const { path } of files) if (path !== written) await rm(path, { force: true });
  }

  /** Writes a part, and gives its path. */
  async #write(owner: string, sql: string, ...values: string[]): Promise<string> {
    const folder = join(this.#settings.folder, ownerFolder(owner));
    // It may have been cleared meanwhile.
    await mkdir(folder, { recursive: true });
    const unfinished = join(folder, `${process.pid}-${++this.#written}.unfinished`);
    try {
      const target = quoteText(unfinished);
      const copy = `COPY (${sql}) TO ${target} (FORMAT parquet, COMPRESSION zstd)`;
      await this.#database.run(copy, ...values);
      const [[from, to, leastId, mostId, orders] = []] = await this.#database.rows(
        `SELECT min(day)::VARCHAR, max(day)::VARCHAR, min(order_id), max(order_id), count(*) FROM read_parquet(${target})`,
      );
      const part = {
        ...{ from: String(from), to: String(to), orders: Number(orders) },
        ...{ leastId: Number(leastId), mostId: Number(mostId) },
      };
      const digest = digestOf(owner, part, await readFile(unfinished));
      const path = join(folder, partName({ ...part, digest }));
      await rename(unfinished, path);
      return path;
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** Reads the parts that are wanted and sound, and begins again where one was folded meanwhile. */
  async #reading(
    isWanted: (file: File) => boolean,
    read: (files: readonly File[]) => Promise<void>,
  ): Promise<void> {
    for (let looks = 1; ; looks++) {
      const files = (await this.#files()).filter(isWanted);
      const sound: File[] = [];
      for (const file of files) if (await this.#isSound(file)) sound.push(file);
      try {
        return sound.length > 0 ? await read(sound) : undefined;
      } catch (error) {
        const left = new Set((await this.#files()).map(({ path }) => path));
        if (looks === maxLooks || sound.every(({ path }) => left.has(path))) throw error;
      }
    }
  }

  /** Whether a part is what its name says. */
  async #isSound(file: File): Promise<boolean> {
    const { path, owner, digest, ...part } = file;
    const state = await stat(path).then(({ size, mtimeMs }) => `${size} ${mtimeMs}`, gone);
    if (state === undefined) return false;
    if (this.#verified.get(path) === state) return true;
    const content = await readFile(path).catch(gone);
    if (content === undefined) return false;
    if (digestOf(owner, part, content) === digest) {
      this.#verified.set(path, state);
      return true;
    }
    if (!this.#leftOut.has(path)) this.#settings.leaveOut(path);
    this.#leftOut.add(path);
    return false;
  }

  /** Takes away the oldest days where there is too much, and some more. */
  async #makeRoom(): Promise<Day | undefined> {
    const { mostBytes } = this.#settings;
    const sized: (File & { bytes: number })[] = [];
    for (const file of await this.#files()) {
      const found = await stat(file.path).catch(gone);
      if (found) sized.push({ ...file, bytes: found.size });
    }
    const bytes = sized.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes <= mostBytes) return undefined;
    let excess = bytes - mostBytes * (1 - spareShare);
    let last: Day | undefined;
    for (const file of sized.sort((a, b) => (a.from < b.from ? -1 : 1))) {
      if (excess <= 0) break;
      // What another process takes away meanwhile makes room as well.
      const beyond = await this.#dropFirst(file, excess / file.bytes).catch(gone);
      excess -= file.bytes;
      if (beyond === undefined) continue;
      if (last === undefined || beyond > last) last = beyond;
      await this.#forgetFilled(file.owner, beyond);
    }
    return last;
  }

  /** Takes away as many of the first days of a part as make such a share of it; gives the last of them. */
  async #dropFirst(file: File, share: number): Promise<Day> {
    const beyond = share < 1 ? await this.#cutOf(file, share) : file.to;
    if (beyond < file.to) await this.#replace([file], file.owner, beyond);
    else await rm(file.path, { force: true });
    return beyond;
  }

  /** The last of the first days of a part that together are such a share of it. */
  async #cutOf(file: File, share: number): Promise<Day> {
    if (!(await this.#isSound(file))) return file.to;
    const days = await this.#database.rows(
      `SELECT day::VARCHAR, sum(count(*)) OVER (ORDER BY day) FROM ${reader([file])} GROUP BY day ORDER BY day`,
    );
    return String(days.find(([, orders]) => Number(orders) >= file.orders * share)?.[0] ?? file.to);
  }

  async #forgetFilled(owner: string, until: Day): Promise<void> {
    const folder = join(this.#settings.folder, ownerFolder(owner));
    for (const name of await readdir(folder)) {
      const day = readFilledName(name);
      if (day !== undefined && day <= until)
        await rm(join(folder, filledName(day)), { force: true });
    }
  }

  /** Takes away what processes were writing that are gone. */
  async #sweep(): Promise<void> {
    const folder = join(this.#settings.folder, ownerFolder(this.#settings.owner));
    for (const name of (await readdir(folder)).filter(isUnfinished)) {
      const path = join(folder, name);
      const found = await stat(path).catch(gone);
      if (found && found.mtimeMs < Date.now() - abandonedMs) await rm(path, { force: true });
    }
  }

  /** All parts of all owners, by their names. */
  async #files(): Promise<File[]> {
    const { folder } = this.#settings;
    const files: File[] = [];
    for (const name of await readdir(folder)) {
      const owner = readOwner(name);
      const held =
        owner === undefined ? [] : ((await readdir(join(folder, name)).catch(gone)) ?? []);
      for (const file of held) {
        const part = readPartName(file);
        if (part && owner) files.push({ ...part, owner, path: join(folder, name, file) });
      }
    }
    return files;
  }

  #isOwn({ owner }: File): boolean {
    return owner === this.#settings.owner;
  }
}

function isOf(month: string, { from }: Part): boolean {
  return monthOf(from) === month;
}

function reader(files: readonly File[], options = ''): string {
  return `read_parquet([${files.map(({ path }) => quoteText(path)).join(', ')}]${options})`;
}

function gone(): undefined {
  return undefined;
}
