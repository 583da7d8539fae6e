/** Finds ids of records by the number of an order or the name of a customer. */
import type { Client } from '../../client/client.ts';
import type { GetOptions } from '../../client/request/get.ts';
import { isNameColumn } from '../../core/column-name.ts';
import { inParallel } from '../../core/deadline.ts';
import { InputError } from '../../core/errors.ts';
import { isRecord, type JsonObject, toNumber, toText } from '../../core/json.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { getCustomer, searchCustomers } from '../../endpoints/customers.ts';
import { largestPage } from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import type { ResolvedName } from '../answer.ts';
import { foldName, maxNamed } from '../reference/reference.ts';
import { readCell } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { endpointMessages } from './messages.ts';

interface NamedCustomer {
  id: number;
  name: string;
  city: string;
}

/** @throws {InputError} unless exactly one customer has the name, naming the first candidates and their cities */
export async function findCustomer(
  { client }: Pick<Services, 'client'>,
  text: string,
  how: GetOptions,
): Promise<ResolvedName> {
  const query = { q: text.trim(), limit: largestPage(searchCustomers) };
  const options = { ...how, query, holdsRows: true };
  const { rows, total } = await client.get(searchCustomers.path, options);
  const matches = rows.filter(isRecord).flatMap((row): NamedCustomer[] => {
    const id = toNumber(row.id);
    return Number.isSafeInteger(id) ? [{ id, name: nameOf(row), city: cityOf(row) }] : [];
  });
  const wanted = foldName(text);
  const exact = matches.filter(({ name }) => foldName(name) === wanted);
  const candidates = exact.length > 0 ? exact : matches;
  const count = exact.length || total || matches.length;
  const [only] = candidates;
  if (only && count === 1) return { given: text, id: only.id, name: only.name };
  const customers = await Promise.all(
    candidates.slice(0, maxNamed).map(async (customer, at) => {
      if (customer.city !== '' || at >= maxCities) return customer;
      return { ...customer, city: await readCity(client, customer.id, how) };
    }),
  );
  throw new InputError(
    endpointMessages.which_customer({ name: text, count, customers }),
    'customer_id',
  );
}

/** Each city, which tells customers of one name apart, may cost a request. */
const maxCities = 6;

async function readCity({ get }: Pick<Client, 'get'>, id: number, how: GetOptions) {
  const path = getCustomer.path.replace('{id}', String(id));
  const { body } = (await get(path, { ...how, holdsRows: false }).catch(() => undefined)) ?? {};
  return isRecord(body) ? cityOf(body) : '';
}

function cityOf(customer: JsonObject): string {
  return toText(readCell(customer, 'address.city') ?? customer.city);
}

function nameOf(row: JsonObject): string {
  const parts = Object.entries(row).filter(([field]) => isNameColumn(field));
  const texts = parts.map(([, part]) => toText(part).trim());
  return toText(row.name).trim() || texts.join(' ').trim();
}

/** Pages that are read at once; of more, most would be older than the order. */
const width = 4;

/**
 * Searches the lists of orders, the newest first, since the platform cannot look up a number.
 * @throws {InputError} where the orders that one call may read lack the number, telling how many were searched
 */
export async function findOrder(
  { client, maxRows }: Pick<Services, 'client' | 'maxRows'>,
  number: string,
  how: GetOptions,
  period: Period,
): Promise<ResolvedName> {
  const trimmed = number.trim();
  const limit = largestPage(listOrders);
  const hasNumber = ({ order_number: value }: JsonObject) =>
    toText(value).toLowerCase() === trimmed.toLowerCase();
  let order: JsonObject | undefined;
  let total = 0;
  /** Pages from here on need not be read: the order was found, or there are no rows. */
  let end = Number.POSITIVE_INFINITY;

  async function searchPage(start: number, options: GetOptions): Promise<void> {
    if (start >= end) return;
    const query = { from: period.from, to: period.to, start, limit };
    const page = await client.get(listOrders.path, { ...how, ...options, query });
    const { rows } = page;
    const row = rows.filter(isRecord).find((row) => hasNumber(row) && Number.isSafeInteger(row.id));
    if (start === 0) total = page.total || 0;
    if ((row || rows.length === 0) && start < end) [order, end] = [row, start];
  }

  await searchPage(0, {});
  const reach = Math.min(total, maxRows);
  if (reach > limit && end > 0) {
    const deadline = how.deadline ?? client.progressDeadline();
    const count = Math.ceil(reach / limit) - 1;
    const starts = Array.from({ length: count }, (_, at) => (at + 1) * limit);
    await inParallel(starts, width, how.signal, (start, signal) =>
      searchPage(start, { priority: 'bulk', deadline, signal }),
    );
  }
  const days = { from: period.from, to: period.to };
  if (order) {
    const { id, order_number: name, backoffice_url: link } = order;
    const searchNote = `looked for among the orders of ${sayDays(days)}`;
    // docs/platform.md#orders: rows of the list have the link, the single order lacks it.
    const note = link ? `${searchNote}; in the back office: ${toText(link)}` : searchNote;
    return { given: trimmed, id: toNumber(id), name: toText(name), note };
  }
  const searched = { number: trimmed, days, looked: reach, total };
  throw new InputError(endpointMessages.no_such_order(searched), 'order_number');
}
