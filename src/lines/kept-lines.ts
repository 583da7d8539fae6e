/** Order lines on disk. A DuckDB process of its own reads and writes one folder. */
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
  no_lines_process: 'The process that keeps order lines is not installed.',
});

export interface LinesFolder {
  folder: string;
  /** Names the key and its rights as 32 hexadecimal digits. Files of other owners are only measured. */
  owner: string;
  /** Secret of the digests of parts. It is sent to the process, whose arguments every user could read. */
  key: string;
  maxBytes: number;
  /** Called once for each broken or foreign part. */
  onLeftOut(file: string): void;
}

export interface KeptOrder {
  id: number;
  /** Identifies the state of the order; made by the analysis. */
  stamp: number;
  shopId: number | null;
  day: Day;
  readAtMs: number;
  lines: string;
}

type LinesTask = WantedOrders | { op: 'keep'; orders: readonly KeptOrder[] } | { op: 'merge' };

export type LinesCommand = Pick<LinesFolder, 'key'> & LinesTask;

/** Asks for lines by order and stamp: `[ids, stamps]` as JSON. Any number of `found` replies follow. */
export interface WantedOrders {
  op: 'find';
  wanted: string;
  minId: number;
  maxId: number;
}

/** Orders with kept lines: for each its rows as a JSON array, and when the first was read. */
export interface FoundOrders {
  ids: readonly number[];
  lines: readonly string[];
  sinceMs: number;
}

/** A partial reply: orders with lines, or the path of a part that was changed or is foreign. */
export type PartialReply = { found: FoundOrders } | { leftOut: string };

/** `droppedTo`: the last day whose lines were removed to make room. */
export type LinesReply = { droppedTo: Day | undefined } | { failure: string };

export interface FoundLines {
  rows: ReadonlyMap<number, readonly JsonObject[]>;
  /** When the oldest of them was read; undefined if there are none. */
  sinceMs: number | undefined;
}

export interface KeptSummary {
  orders: number;
  bytes: number;
  /** First and last day with all lines, and the number of days between that lack some. */
  filled: { from: Day; to: Day; missing: number } | undefined;
}

/** Removes lines of all keys from a folder, but no other file. @returns the number of orders */
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
    // A folder with other files stays.
    await rmdir(join(folder, place)).catch(() => {});
  }
  return orders;
}

const idleMs = 60_000;

/** Longest time of a command; its unfinished files count as abandoned after it. */
const limitMs = 600_000;

export class KeptLines {
  readonly #settings: LinesFolder;
  #keeper: ChildProcess<LinesCommand, PartialReply, LinesReply> | undefined;

  constructor(settings: LinesFolder) {
    this.#settings = settings;
  }

  /** Finds kept lines by order and stamp. @throws CommerceError when they cannot be read */
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
      // Parsed while the next orders arrive.
      const lines: JsonObject[][] = JSON.parse(`[${found.lines.join(',')}]`);
      for (const [index, id] of found.ids.entries()) rows.set(id, lines[index] ?? []);
      sinceMs = Math.min(sinceMs ?? found.sinceMs, found.sinceMs);
    });
    return { rows, sinceMs };
  }

  /**
   * Keeps lines. Calls with some hundred orders each are fastest.
   * @returns the last day whose lines were removed to make room, if any
   */
  keep(orders: readonly KeptOrder[]): Promise<Day | undefined> {
    return this.#call({ op: 'keep', orders });
  }

  async merge(): Promise<void> {
    await this.#call({ op: 'merge' });
  }

  async markFilled(day: Day): Promise<void> {
    await writeFile(join(this.#place, `${day}.filled`), '', { mode: 0o600 });
  }

  /** An order in two parts that are not merged yet counts twice. */
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
    const onPart = (part: PartialReply) =>
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
    return new ChildProcess<LinesCommand, PartialReply, LinesReply>(entry, {
      args: [folder, owner, maxBytes],
      idleMs,
    });
  }
}

/** A file of lines of some orders, as its name describes it. */
export interface Part {
  from: Day;
  to: Day;
  minId: number;
  maxId: number;
  orders: number;
  /** Keyed hash of owner, name and content. */
  digest: string;
}

const partForm =
  /^(\d{4}-\d\d-\d\d)_(\d{4}-\d\d-\d\d)_(\d{1,16})-(\d{1,16})_(\d{1,9})_([0-9a-f]{32})\.parquet$/;

/** `2026-11-01_2026-11-30_90012-135207_45195_<digest>.parquet`. */
export function partName({ digest, ...part }: Part): string {
  return `${describe(part)}_${digest}.parquet`;
}

/** Undefined for names of other files. */
export function readPartName(name: string): Part | undefined {
  const match = partForm.exec(name);
  if (match === null) return undefined;
  const [, from = '', to = '', minId, maxId, orders, digest = ''] = match;
  const ids = { minId: Number(minId), maxId: Number(maxId) };
  return { from, to, ...ids, orders: Number(orders), digest };
}

/** The digest of a part. It cannot be forged without the key, and differs for a cut, changed or renamed part. */
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

/** `owner` is 32 hexadecimal digits. */
export function ownerFolder(owner: string): string {
  return `lines-${owner}`;
}

export function readOwner(folder: string): string | undefined {
  return /^lines-([0-9a-f]{32})$/.exec(folder)?.[1];
}

/** The day of an empty file that marks a day with all its lines. */
export function readFilledName(name: string): Day | undefined {
  return /^(\d{4}-\d\d-\d\d)\.filled$/.exec(name)?.[1];
}

/** Whether a file is still being written, by any process. */
export function isUnfinished(name: string): boolean {
  return name.endsWith('.unfinished');
}
