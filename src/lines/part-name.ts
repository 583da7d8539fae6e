/** The names of what is kept on disk, which say enough to leave most of it unread. */
import { createHmac } from 'node:crypto';
import type { Day } from '../core/calendar.ts';

/** A part: lines of some orders, as its name describes it. */
export interface Part {
  from: Day;
  to: Day;
  leastId: number;
  mostId: number;
  orders: number;
  /** Of whose part it is, of all that the name says, and of the content, under the key of its owner. */
  digest: string;
}

const partForm =
  /^(\d{4}-\d\d-\d\d)_(\d{4}-\d\d-\d\d)_(\d{1,16})-(\d{1,16})_(\d{1,9})_([0-9a-f]{32})\.parquet$/;

/** `2026-11-01_2026-11-30_90012-135207_45195_<digest>.parquet`. */
export function partName({ digest, ...part }: Part): string {
  return `${describe(part)}_${digest}.parquet`;
}

/** Undefined for a name that is none of a part. */
export function readPartName(name: string): Part | undefined {
  const found = partForm.exec(name);
  if (found === null) return undefined;
  const [, from = '', to = '', leastId, mostId, orders, digest = ''] = found;
  const ids = { leastId: Number(leastId), mostId: Number(mostId) };
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

function describe({ from, to, leastId, mostId, orders }: Omit<Part, 'digest'>): string {
  return `${from}_${to}_${leastId}-${mostId}_${orders}`;
}

/** The folder of one key with one set of rights; `owner` is 32 hexadecimal digits. */
export function ownerFolder(owner: string): string {
  return `lines-${owner}`;
}

/** Whose folder it is, by its name. */
export function readOwner(folder: string): string | undefined {
  return /^lines-([0-9a-f]{32})$/.exec(folder)?.[1];
}

/** The empty file that says that all lines of a day were read. */
export function filledName(day: Day): string {
  return `${day}.filled`;
}

/** The day of such a file. */
export function readFilledName(name: string): Day | undefined {
  return /^(\d{4}-\d\d-\d\d)\.filled$/.exec(name)?.[1];
}

/** What is being written; another process may be at work on it. */
export function isUnfinished(name: string): boolean {
  return name.endsWith('.unfinished');
}
