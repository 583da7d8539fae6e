/** Lines of orders on disk, read and written by a process of its own: DuckDB, over one folder. */
import { createHmac } from 'node:crypto';
import { readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Day, lengthOf } from '../core/calendar.ts';
import { CommerceError, messageOf } from '../core/errors.ts';
import { builtFile } from '../core/files.ts';
import type { JsonObject } from '../core/json.ts';
import { messagesOf } from '../core/message.ts';
import { ChildProcess } from '../core/process/child-process.ts';

export const lineMessages = messagesOf({
  lines_failed: ({ failure }: { failure: string }) =>
    `Order lines could not be kept or read: ${failure}`,
  no_lines_process: 'What keeps order lines is not installed.',
});

/** The folder that keeps lines, and the key that they belong to. */
export interface LinesFolder {
  folder: string;
  /** Names the key and its rights, as 32 hexadecimal digits; of other owners only the size is read. */
  owner: string;
  /** The secret for the digests of its parts. It is no argument of the process: every user could read that. */
  key: string;
  maxBytes: number;
  /** Called once for a part that is broken or none of this key's. */
  onLeftOut(file: string): void;
}

/** The lines of an order as they were read. */
export interface KeptOrder {
  id: number;
  /** Stands for the order's state; the analysis computes it. */
  stamp: number;
  shopId: number | null;
  day: Day;
  readAtMs: number;
  /** The rows as a JSON array. */
  lines: string;
}

type LinesTask = WantedOrders | { op: 'keep'; orders: readonly KeptOrder[] } | { op: 'fold' };

/** A command to the process. */
export type LinesCommand = Pick<LinesFolder, 'key'> & LinesTask;

/** Asks for the lines of orders under their stamps: `[ids, stamps]` as JSON. Answered by any number of `found`. */
export interface WantedOrders {
  op: 'find';
  wanted: string;
  minId: number;
  maxId: number;
}

/** Some orders whose lines are kept: the rows of each as a JSON array, and when the first was read. */
export interface FoundOrders {
  ids: readonly number[];
  lines: readonly string[];
  sinceMs: number;
}

/** A partial reply: orders with their lines, or the path of a part that was changed or is not this key's. */
export type LinesPart = { found: FoundOrders } | { leftOut: string };

/** `droppedTo`: the last day whose lines were removed to make room. */
export type LinesReply = { droppedTo: Day | undefined } | { failure: string };

/** Lines that were found. */
export interface FoundLines {
  rows: ReadonlyMap<number, readonly JsonObject[]>;
  /** When the first of them was read; undefined where there are none. */
  sinceMs: number | undefined;
}

/** The orders and days of a key that are kept. */
export interface KeptSummary {
  orders: number;
  bytes: number;
  /** The first and last day of which every order's lines were read, and how many days between lack some. */
  filled: { from: Day; to: Day; missing: number } | undefined;
}

/** Removes the lines of every key from a folder, and nothing else. @returns the number of orders */
export async function clearLines(folder: string): Promise<number> {
  let orders = 0;
  for (const place of await readdir(folder).catch(() => [])) {
    if (readOwner(place) === undefined) continue;
    const names = await readdir(join(folder, place));
    for (const name of names) {
      const part = readPartName(name);
      orders += part?.orders ?? 0;
      if (part || readFilledName(name) || isUnfinished(name))
        await rm(join(folder, place, name), { force: true });
    }
    // Other files there stay, with their folder.
    await rmdir(join(folder, place)).catch(() => {});
  }
  return orders;
}

const idleMs = 60_000;

/** Longest that a command may take; what it writes counts as abandoned then. */
const limitMs = 600_000;

export class KeptLines {
  readonly #settings: LinesFolder;
  #keeper: ChildProcess<LinesCommand, LinesPart, LinesReply> | undefined;

  constructor(settings: LinesFolder) {
    this.#settings = settings;
  }

  /** The lines of the orders that are kept under their stamps. @throws CommerceError where they cannot be read */
  async find(orders: readonly Pick<KeptOrder, 'id' | 'stamp'>[]): Promise<FoundLines> {
    const rows = new Map<number, readonly JsonObject[]>();
    let sinceMs: number | undefined;
    const ids = orders.map(({ id }) => id);
    const task: WantedOrders = {
      op: 'find',
      wanted: JSON.stringify([ids, orders.map(({ stamp }) => stamp)]),
      minId: ids.reduce((a, b) => Math.min(a, b), Infinity),
      maxId: ids.reduce((a, b) => Math.max(a, b), -Infinity),
    };
    await this.#call(task, (found) => {
      // Parsed while the next orders are on their way.
      const lines: JsonObject[][] = JSON.parse(`[${found.lines.join(',')}]`);
      for (const [index, id] of found.ids.entries()) rows.set(id, lines[index] ?? []);
      sinceMs = Math.min(sinceMs ?? found.sinceMs, found.sinceMs);
    });
    return { rows, sinceMs };
  }

  /**
   * Keeps lines, at best of some hundred orders at a time.
   * @returns until which day others had to go for want of room, if any had to
   */
  keep(orders: readonly KeptOrder[]): Promise<Day | undefined> {
    return this.#call({ op: 'keep', orders });
  }

  async fold(): Promise<void> {
    await this.#call({ op: 'fold' });
  }

  async markFilled(day: Day): Promise<void> {
    await writeFile(join(this.#place, `${day}.filled`), '', { mode: 0o600 });
  }

  /** Counts what is kept; an order in two parts that are not folded yet counts twice. */
  async summary(): Promise<KeptSummary> {
    const names = await readdir(this.#place).catch(() => []);
    const days = names.flatMap((name) => readFilledName(name) ?? []).sort();
    const [from] = days;
    const to = days.at(-1);
    let orders = 0;
    let bytes = 0;
    for (const name of names) {
      orders += readPartName(name)?.orders ?? 0;
      bytes += (await stat(join(this.#place, name)).catch(() => undefined))?.size ?? 0;
    }
    if (from === undefined || to === undefined) return { orders, bytes, filled: undefined };
    const missing = lengthOf({ from, to }) - days.length;
    return { orders, bytes, filled: { from, to, missing } };
  }

  get #place(): string {
    return join(this.#settings.folder, ownerFolder(this.#settings.owner));
  }

  close(): void {
    this.#keeper?.kill();
  }

  async #call(
    task: LinesTask,
    onFound: (found: FoundOrders) => void = () => {},
  ): Promise<Day | undefined> {
    const { key, onLeftOut } = this.#settings;
    if (!this.#keeper?.isAlive) this.#keeper = this.#start();
    const onPart = (part: LinesPart) =>
      'found' in part ? onFound(part.found) : onLeftOut(part.leftOut);
    const reply = await this.#keeper
      .ask({ ...task, key }, limitMs, onPart)
      .catch((error: unknown): LinesReply => ({ failure: messageOf(error) }));
    if ('droppedTo' in reply) return reply.droppedTo;
    throw new CommerceError('bad_config', lineMessages.lines_failed({ failure: reply.failure }));
  }

  #start() {
    const entry = builtFile('order-lines.js');
    if (entry === undefined) throw new CommerceError('bad_config', lineMessages.no_lines_process());
    const { folder, owner, maxBytes } = this.#settings;
    return new ChildProcess<LinesCommand, LinesPart, LinesReply>(entry, {
      args: [folder, owner, maxBytes],
      idleMs,
    });
  }
}

/** A part: lines of some orders, as its name describes it. */
export interface Part {
  from: Day;
  to: Day;
  minId: number;
  maxId: number;
  orders: number;
  /** The keyed hash of the owner, the name and the content. */
  digest: string;
}

const partForm =
  /^(\d{4}-\d\d-\d\d)_(\d{4}-\d\d-\d\d)_(\d{1,16})-(\d{1,16})_(\d{1,9})_([0-9a-f]{32})\.parquet$/;

/** `2026-11-01_2026-11-30_90012-135207_45195_<digest>.parquet`. */
export function partName({ digest, ...part }: Part): string {
  return `${describe(part)}_${digest}.parquet`;
}

/** The part that a file name describes; undefined for other names. */
export function readPartName(name: string): Part | undefined {
  const found = partForm.exec(name);
  if (found === null) return undefined;
  const [, from = '', to = '', minId, maxId, orders, digest = ''] = found;
  const ids = { minId: Number(minId), maxId: Number(maxId) };
  return { from, to, ...ids, orders: Number(orders), digest };
}

/** The digest of a part that nobody can make without the key: one that was cut, changed or renamed has another. */
export function digestOf(
  { owner, key }: { owner: string; key: string },
  part: Omit<Part, 'digest'>,
  content: Uint8Array,
): string {
  const hash = createHmac('sha256', key)
    .update(`${owner} ${describe(part)}\n`)
    .update(content);
  return hash.digest('hex').slice(0, 32);
}

function describe({ from, to, minId, maxId, orders }: Omit<Part, 'digest'>): string {
  return `${from}_${to}_${minId}-${maxId}_${orders}`;
}

/** The folder of one key with one set of rights; `owner` is 32 hexadecimal digits. */
export function ownerFolder(owner: string): string {
  return `lines-${owner}`;
}

/** The owner in the name of a folder. */
export function readOwner(folder: string): string | undefined {
  return /^lines-([0-9a-f]{32})$/.exec(folder)?.[1];
}

/** The day of the empty file that says that all its lines were read. */
export function readFilledName(name: string): Day | undefined {
  return /^(\d{4}-\d\d-\d\d)\.filled$/.exec(name)?.[1];
}

/** Whether a file is still being written, perhaps by another process. */
export function isUnfinished(name: string): boolean {
  return name.endsWith('.unfinished');
}
