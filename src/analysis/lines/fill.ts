/** Reads the lines of all orders of a period ahead of the questions about them. */
import { setTimeout } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { addDays, amsterdamDay, type Day, lengthOf } from '../../core/calendar.ts';
import { inParallel } from '../../core/deadline.ts';
import {
  CommerceError,
  type ErrorCode,
  hasCode,
  messageOf,
  PlatformError,
  reasonIn,
} from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { resolvePeriod } from '../../core/periods.ts';
import { endpointName, largestPage } from '../../endpoints/define.ts';
import { listOrderItems, listOrders } from '../../endpoints/orders.ts';
import type { KeptOrder } from '../../lines/kept-lines.ts';
import { batchOrders, listedOrders, type OrderLines } from './order-lines.ts';

export interface FillProgress {
  daysDone: number;
  days: number;
  /** Orders of the finished days. */
  orders: number;
  /** Orders whose lines were read so far. */
  read: number;
}

export interface FillOptions {
  client: Client;
  lines: OrderLines;
  /** A word such as `last_30_days`, or days. */
  period: string;
  now: () => number;
  /** Ends the fill; lines that were read stay. */
  signal: AbortSignal;
  onProgress?(progress: FillProgress): void;
  /** Called once for each trouble that it waits for. */
  onTrouble(reason: Message): void;
}

/** Requests at once, so that callers find other places free. */
const maxRequests = 4;

const intervalMs = 15 * 60_000;

const maxRetryWaitMs = 60_000;

const maxClosedWaitMs = 3_600_000;

/** Retries by code; for a platform that is down there is no end. */
const maxRetries: Partial<Record<ErrorCode, number>> = {
  key_refused: 0,
  unauthorized: 0,
  forbidden: 0,
  bad_request: 0,
  bad_config: 0,
  unreachable: Infinity,
  timeout: Infinity,
  rate_limited: Infinity,
  overloaded: Infinity,
  exchange_failed: Infinity,
};
const usualRetries = 5;

/**
 * Reads missing lines, the newest day first.
 * @returns the last day for which there was no room, if any; older ones were not read
 * @throws Error for lasting trouble, such as a revoked key or a full disk
 */
export async function fill(options: FillOptions): Promise<Day | undefined> {
  const { lines, signal, now, onProgress = () => {} } = options;
  const { from, to } = resolvePeriod({ period: options.period }, now());
  const today = amsterdamDay(now());
  const lastDay = to < today ? to : today;
  const progress = { daysDone: 0, days: lengthOf({ from, to: lastDay }), orders: 0, read: 0 };
  for (let day = lastDay; day >= from; day = addDays(day, -1)) {
    const onRead = () => {
      progress.read++;
      onProgress(progress);
    };
    const filled = await workWithRetries(options, () => fillDay(options, day, onRead));
    if (filled === undefined) return undefined;
    if (filled.droppedTo !== undefined) return filled.droppedTo;
    progress.daysDone++;
    progress.orders += filled.orders;
    onProgress(progress);
  }
  if (!signal.aborted) await (await lines.open()).merge();
  return undefined;
}

/** Fills every quarter of an hour until its signal, whatever fails. */
export async function keepFilled(options: FillOptions & { onDone(): void }): Promise<void> {
  const { signal, onTrouble, onDone } = options;
  let reported = '';
  while (!signal.aborted) {
    try {
      await fill(options);
      reported = '';
      if (!signal.aborted) onDone();
    } catch (error) {
      if (messageOf(error) !== reported) onTrouble(reasonIn(error));
      reported = messageOf(error);
    }
    await setTimeout(intervalMs, undefined, { signal }).catch(() => {});
  }
}

async function workWithRetries<Result>(
  { signal, onTrouble }: FillOptions,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  let failures = 0;
  for (let waitMs = 2000; !signal.aborted; waitMs = Math.min(2 * waitMs, maxRetryWaitMs)) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) break;
      if (!(error instanceof CommerceError)) throw error;
      // A daily limit closes a key for hours.
      if (error instanceof PlatformError && (error.retryAfterMs ?? 0) > maxClosedWaitMs)
        throw error;
      const isDown = error instanceof PlatformError && [502, 503, 504].includes(error.status ?? 0);
      const max = isDown ? Infinity : (maxRetries[error.code] ?? usualRetries);
      // Endless trouble does not use up the retries of other trouble.
      if (Number.isFinite(max) && ++failures > max) throw error;
      if (waitMs === 2000) onTrouble(error.reason);
      await setTimeout(waitMs, undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
}

/** @returns how many orders the day has, and the last day that was dropped to make room */
async function fillDay(
  { client, lines, now, signal }: FillOptions,
  day: Day,
  onRead: () => void,
): Promise<{ orders: number; droppedTo?: Day | undefined }> {
  const options = { priority: 'background', signal } as const;
  const list = await client.readAllPages(listOrders.path, {
    ...options,
    endpoint: endpointName(listOrders),
    query: { from: day, to: day },
    pageSize: largestPage(listOrders),
  });
  const orders = listedOrders(list.rows);
  const kept = await lines.open();
  const { rows: keptRows } = await kept.find(orders);
  const missing = orders.filter(({ id }) => !keptRows.has(id));
  const endpoint = endpointName(listOrderItems);
  let isComplete = list.complete && orders.length === list.rows.length;
  for (let from = 0; from < missing.length; from += batchOrders) {
    const batch = missing.slice(from, from + batchOrders);
    const read: KeptOrder[] = [];
    let droppedTo: Day | undefined;
    try {
      await inParallel(batch, maxRequests, signal, async (order, ending) => {
        const path = listOrderItems.path.replace('{id}', String(order.id));
        const reading = client.get(path, { ...options, endpoint, holdsRows: true, signal: ending });
        // The order may have been removed since the list was read.
        const answer = await reading.catch((error: unknown) => {
          if (!hasCode(error, 'not_found')) throw error;
        });
        const rows = answer?.rows.filter(isRecord) ?? [];
        const keepable = answer && lines.keptOrder(order, rows, answer.readAtMs);
        if (keepable) read.push(keepable);
        onRead();
      });
    } finally {
      if (read.length > 0) droppedTo = await kept.keep(read);
    }
    if (droppedTo !== undefined && droppedTo >= day) return { orders: 0, droppedTo };
    isComplete &&= read.length === batch.length;
  }
  if (isComplete && day < amsterdamDay(now())) await kept.markFilled(day);
  return { orders: orders.length };
}
