import { addDays, amsterdamDay } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { isRecord, type JsonObject, numberIn, textIn } from '../../core/json.ts';
import { resolvePeriod, sayDays } from '../../core/periods.ts';
import { quote } from '../../core/text.ts';
import { endpointName, largestPage } from '../../endpoints/define.ts';
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
  { client }: Services,
  tool: string,
  { order_number, period: given }: JsonObject,
  { nowMs, signal }: Call,
): Promise<ResolvedName> {
  const number = String(order_number).trim();
  const today = amsterdamDay(nowMs);
  const days =
    typeof given === 'string'
      ? { period: given }
      : { from: addDays(today, -defaultDays), to: today };
  const period = resolvePeriod(days, nowMs);
  const { from, to } = period;
  const limit = largestPage(listOrders);
  let read = 0;
  let total = 1;
  for (let start = 0; read < total && start <= read; start += limit) {
    const { body, rows } = await client.get(listOrders.path, {
      endpoint: endpointName(listOrders),
      query: { from, to, start, limit },
      holdsRows: true,
      cacheForMs: keptMs,
      ...(signal && { signal }),
    });
    const found = rows
      .filter(isRecord)
      .find((row) => textIn(row.order_number).toLowerCase() === number.toLowerCase());
    const id = numberIn(found?.id);
    if (found && Number.isSafeInteger(id)) {
      const note = `looked for among the orders of ${sayDays(period)}`;
      return { given: number, id, name: textIn(found.order_number), note };
    }
    if (rows.length === 0) break;
    read += rows.length;
    total = isRecord(body) ? numberIn(body.total) : read;
  }
  const none = read < 2 ? 'no order' : `none of the ${read.toLocaleString('en-US')} orders`;
  throw new InputError(
    `${tool}: ${none} of ${sayDays(period)} has the number "${quote(number)}". Give the period in which it was placed, or its id as order_id.`,
    'order_number',
  );
}
