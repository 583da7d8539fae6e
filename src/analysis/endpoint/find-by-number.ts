import { addDays, amsterdamDay } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { isRecord, type JsonObject, numberIn, textIn } from '../../core/json.ts';
import { type Period, resolvePeriod, sayDays } from '../../core/periods.ts';
import { quoted } from '../../core/text.ts';
import { type Endpoint, endpointName, largestPage } from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import type { Call, ResolvedName } from '../answer.ts';
import type { Services } from '../services.ts';

/** How far back an order is looked for unless a period is given. */
const defaultDays = 90;

/** How long a page that was looked through may serve again. */
const keptMs = 60_000;

/**
 * The id of an order by its number: the platform has no way to ask for it, so the lists of orders are
 * looked through, the newest first, until it is found.
 * @throws {InputError} when it is not among the orders of the period, which the text names
 */
export async function findOrder(
  services: Services,
  { tool }: Endpoint,
  input: JsonObject,
  call: Call,
): Promise<ResolvedName> {
  const given = String(input.order_number).trim();
  const period = periodOf(input, call.nowMs);
  const { from, to } = period;
  const limit = largestPage(listOrders);
  let read = 0;
  for (let start = 0; ; start += limit) {
    const { body, rows } = await services.client.get(listOrders.path, {
      endpoint: endpointName(listOrders),
      query: { from, to, start, limit },
      holdsRows: true,
      cacheForMs: keptMs,
      ...(call.signal && { signal: call.signal }),
    });
    read += rows.length;
    const found = rows
      .filter(isRecord)
      .find((row) => textIn(row.order_number).toLowerCase() === given.toLowerCase());
    const id = numberIn(found?.id);
    if (found && Number.isSafeInteger(id)) {
      const note = `looked for among the orders of ${sayDays(period)}`;
      return { given, id, name: textIn(found.order_number), note };
    }
    const total = isRecord(body) ? numberIn(body.total) : read;
    if (rows.length === 0 || !(read < total)) break;
  }
  throw new InputError(
    `${tool}: ${noneOf(read)} of ${sayDays(period)} has the number ${quoted(given)}. Give the period in which it was placed, or its id as order_id.`,
    'order_number',
  );
}

function noneOf(count: number): string {
  return count < 2 ? 'no order' : `none of the ${count.toLocaleString('en-US')} orders`;
}

function periodOf({ period }: JsonObject, nowMs: number): Period {
  if (typeof period === 'string') return resolvePeriod({ period }, nowMs);
  const today = amsterdamDay(nowMs);
  return resolvePeriod({ from: addDays(today, -defaultDays), to: today }, nowMs);
}
