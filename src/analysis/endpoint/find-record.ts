/** Finds ids of records by the number of an order or the name of a customer. */
import type { Client } from '../../client/client.ts';
import type { GetOptions } from '../../client/request/get.ts';
import type { Days } from '../../core/calendar.ts';
import { isNameColumn } from '../../core/column-name.ts';
import { InputError } from '../../core/errors.ts';
import { isRecord, type JsonObject, toNumber, toText } from '../../core/json.ts';
import { sayDays } from '../../core/periods.ts';
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
  const [first] = candidates;
  if (first && count === 1) return { given: text, id: first.id, name: first.name };
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

/** Pages that are read at once. With more, most would hold orders older than the one searched. */
const pagesAtOnce = 4;

/**
 * Searches the lists of orders, the newest first, since the platform cannot look up a number.
 * @throws {InputError} where the orders that one call may read lack the number, telling how many were searched
 */
export async function findOrder(
  { client, maxRows }: Pick<Services, 'client' | 'maxRows'>,
  text: string,
  how: GetOptions,
  { from, to }: Days,
): Promise<ResolvedName> {
  const number = text.trim();
  const hasNumber = ({ id, order_number: value }: JsonObject) =>
    toText(value).toLowerCase() === number.toLowerCase() && Number.isSafeInteger(id);
  const limit = largestPage(listOrders);
  const readPage = (start: number, options: GetOptions) =>
    client.get(listOrders.path, { ...options, query: { from, to, start, limit } });
  let pages = [await readPage(0, how)];
  const total = pages[0]?.total || 0;
  const maxSearched = Math.min(total, maxRows);
  const deadline = how.deadline ?? client.progressDeadline();
  for (let start = limit; ; start += pagesAtOnce * limit) {
    const order = pages.flatMap(({ rows }) => rows.filter(isRecord)).find(hasNumber);
    if (order) return resolvedOrder(number, order, { from, to });
    if (start >= maxSearched || pages.some(({ rows }) => rows.length === 0)) break;
    const starts = Array.from({ length: pagesAtOnce }, (_, at) => start + at * limit);
    const reading = starts
      .filter((at) => at < maxSearched)
      .map((at) => readPage(at, { ...how, priority: 'bulk', deadline }));
    pages = await Promise.all(reading);
  }
  const searched = { number, days: { from, to }, looked: maxSearched, total };
  throw new InputError(endpointMessages.no_such_order(searched), 'order_number');
}

function resolvedOrder(given: string, order: JsonObject, days: Days): ResolvedName {
  const { id, order_number: name, backoffice_url: link } = order;
  const note = `looked for among the orders of ${sayDays(days)}`;
  // docs/platform.md#orders: rows of the list have the link, the single order lacks it.
  const place = link ? `; in the back office: ${toText(link)}` : '';
  return { given, id: toNumber(id), name: toText(name), note: note + place };
}
