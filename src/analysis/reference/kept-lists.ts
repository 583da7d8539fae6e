import type { Client } from '../../client/client.ts';
import type { GetOptions } from '../../client/request/get.ts';
import { hasCode } from '../../core/errors.ts';
import { isRecord, numberIn } from '../../core/json.ts';
import { endpointName } from '../../endpoints/define.ts';
import {
  type Reference,
  type ReferenceEntry,
  type ReferenceKind,
  readEntries,
  referenceTtlMs,
  spaceOf,
  spaceOfKind,
} from './reference.ts';

/** Whoever uses a list of this age has it renewed, behind all that anybody waits for. */
const renewAfterMs = referenceTtlMs / 2;

/** After a renewal was begun, the next one waits for this long. */
const renewalRestMs = 30_000;

type Memory = { untilMs: number } & (
  | { entries: readonly ReferenceEntry[]; renewAtMs: number }
  | { refusal: unknown }
);

/** Reads reference lists through the client and keeps them, or the refusal, until they are stale. */
export function createReference(client: Client, now: () => number): Reference {
  const memories = new Map<ReferenceKind, Memory>();

  function recall(kind: ReferenceKind): Memory | undefined {
    const memory = memories.get(kind);
    return memory !== undefined && memory.untilMs > now() ? memory : undefined;
  }

  async function read(kind: ReferenceKind, how: GetOptions): Promise<readonly ReferenceEntry[]> {
    try {
      const { rows, readAtMs } = await readList(client, kind, how);
      const entries = readEntries(kind, rows);
      const untilMs = readAtMs + referenceTtlMs;
      memories.set(kind, { untilMs, entries, renewAtMs: readAtMs + renewAfterMs });
      return entries;
    } catch (error) {
      if (hasCode(error, 'forbidden'))
        memories.set(kind, { untilMs: now() + referenceTtlMs, refusal: error });
      throw error;
    }
  }

  /** Nobody waits for it: what fails is read again by whoever finds the list stale. */
  function readAhead(kind: ReferenceKind, how: GetOptions): void {
    read(kind, how).catch(() => {});
  }

  function atHand(kind: ReferenceKind): readonly ReferenceEntry[] | undefined {
    const memory = recall(kind);
    if (memory === undefined || 'refusal' in memory) return undefined;
    if (memory.renewAtMs <= now()) {
      memory.renewAtMs = now() + renewalRestMs;
      readAhead(kind, { priority: 'drain', isAnew: true });
    }
    return memory.entries;
  }

  async function list(kind: ReferenceKind, signal?: AbortSignal) {
    const memory = recall(kind);
    if (memory && 'refusal' in memory) throw memory.refusal;
    return atHand(kind) ?? read(kind, { ...(signal && { signal }) });
  }

  return {
    list,
    entries: list,
    atHand,
    prefetch(idFields, signal) {
      for (const kind of idFields.flatMap((idField) => spaceOf(idField)?.kind ?? []))
        if (recall(kind) === undefined)
          readAhead(kind, { priority: 'prefetch', ...(signal && { signal }) });
    },
  };
}

async function readList(
  client: Client,
  kind: ReferenceKind,
  how: GetOptions,
): Promise<{ rows: readonly unknown[]; readAtMs: number }> {
  const { endpoint } = spaceOfKind(kind);
  const request = { endpoint: endpointName(endpoint), ...(how.signal && { signal: how.signal }) };
  const kept = { holdsRows: true, cacheForMs: referenceTtlMs };
  const asked = { ...how, ...request, ...kept };
  const { body, rows, readAtMs } = await client.get(endpoint.path, asked);
  const isWhole = !isRecord(body) || !(numberIn(body.total) > rows.length);
  return isWhole ? { rows, readAtMs } : client.drain(endpoint.path, { ...request, pageSize: 500 });
}
