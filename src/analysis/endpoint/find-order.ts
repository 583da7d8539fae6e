import type { GetOptions } from '../../client/request/get.ts';
import { InputError } from '../../core/errors.ts';
import { inParallel } from '../../core/in-parallel.ts';
import { isRecord, type JsonObject, numberIn, textIn } from '../../core/json.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { countNoun, quote } from '../../core/text.ts';
import { largestPage } from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import type { ResolvedName } from '../answer.ts';
import type { Services } from '../services.ts';

/** Pages that are read at once: more would mostly be older than the order that is meant. */
const width = 4;

/**
 * The id of an order by its number: the platform has no way to ask for it, so the lists of orders are
 * looked through, the newest first, until it is found, and no further than one call may read.
 * @param how the pages are asked for
 * @throws {InputError} when it is not among them; the text says how far was looked
 */
export async function findOrder(
  { client, maxRows }: Pick<Services, 'client' | 'maxRows'>,
  tool: string,
  number: string,
  period: Period,
  how: GetOptions,
): Promise<ResolvedName> {
  const given = number.trim();
  const limit = largestPage(listOrders);
  const isMeant = ({ order_number: it }: JsonObject) =>
    textIn(it).toLowerCase() === given.toLowerCase();
  let found: JsonObject | undefined;
  let total = 0;
  /** What is at this place and behind it need not be read: the order was found before it, or rows ended. */
  let end = Number.POSITIVE_INFINITY;

  async function look(start: number, options: GetOptions): Promise<void> {
    if (start >= end) return;
    const query = { from: period.from, to: period.to, start, limit };
    const { body, rows } = await client.get(listOrders.path, { ...how, ...options, query });
    const row = rows.filter(isRecord).find((it) => isMeant(it) && Number.isSafeInteger(it.id));
    if (start === 0) total = isRecord(body) ? numberIn(body.total) : 0;
    if ((row || rows.length === 0) && start < end) [found, end] = [row, start];
  }

  await look(0, {});
  const reach = Math.min(total, maxRows);
  if (reach > limit && end > 0) {
    const deadline = how.deadline ?? client.progressDeadline();
    const count = Math.ceil(reach / limit) - 1;
    const starts = Array.from({ length: count }, (_, at) => (at + 1) * limit);
    await inParallel(starts, width, how.signal, (start, signal) =>
      look(start, { priority: 'drain', deadline, signal }),
    );
  }
  const days = sayDays(period);
  const { id, order_number: name } = found ?? {};
  const note = `looked for among the orders of ${days}`;
  if (found) return { given, id: numberIn(id), name: textIn(name), note };
  const looked =
    total > reach
      ? `none of the newest ${reach.toLocaleString('en-US')} of ${countNoun(total, 'order')}`
      : 'no order';
  throw new InputError(
    `${tool}: ${looked} of ${days} has the number "${quote(given)}". Give the period in which it was placed, or its id as order_id.`,
    'order_number',
  );
}
