/** Records by what people call them, where the platform takes an id alone: an order's number, a customer's name. */
import type { Client } from '../../client/client.ts';
import type { GetOptions } from '../../client/request/get.ts';
import { isNameColumn } from '../../core/column-name.ts';
import { inParallel } from '../../core/deadline.ts';
import { InputError } from '../../core/errors.ts';
import { isRecord, type JsonObject, toNumber, toText } from '../../core/json.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { getCustomer, searchCustomers } from '../../endpoints/customers.ts';
import { type Endpoint, largestPage } from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import type { ResolvedName } from '../answer.ts';
import { foldName, mostNamed } from '../reference/reference.ts';
import { readCell } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { endpointMessages } from './messages.ts';

/** A record that people call by something else than its id. */
interface NamedRecord {
  idArgument: string;
  /** The list that is searched. */
  list: Endpoint;
  /** Whether a text is no id. */
  isName(tool: string, text: string): boolean;
  find(
    services: Pick<Services, 'client' | 'maxRows'>,
    text: string,
    how: GetOptions,
    period: Period,
  ): Promise<ResolvedName>;
}

/** By the argument that takes what they are called. */
export const namedRecords: ReadonlyMap<string, NamedRecord> = new Map<string, NamedRecord>([
  [
    'order_number',
    { idArgument: 'order_id', list: listOrders, isName: () => true, find: findOrder },
  ],
  [
    'customer_id',
    {
      idArgument: 'customer_id',
      list: searchCustomers,
      isName: (tool, text) => tool === getCustomer.tool && !/^\s*\d+\s*$/.test(text),
      find: findCustomer,
    },
  ],
]);

interface NamedCustomer {
  id: number;
  name: string;
  city: string;
}

/**
 * The id of the one customer who has a name.
 * @throws {InputError} where none or several have it, with the first that hold its words and their cities
 */
export async function findCustomer(
  { client }: Pick<Services, 'client'>,
  text: string,
  how: GetOptions,
): Promise<ResolvedName> {
  const query = { q: text.trim(), limit: largestPage(searchCustomers) };
  const options = { ...how, query, holdsRows: true };
  const { rows, total } = await client.get(searchCustomers.path, options);
  const found = rows.filter(isRecord).flatMap((row): NamedCustomer[] => {
    const id = toNumber(row.id);
    return Number.isSafeInteger(id) ? [{ id, name: nameOf(row), city: cityOf(row) }] : [];
  });
  const wanted = foldName(text);
  const exact = found.filter(({ name }) => foldName(name) === wanted);
  const meant = exact.length > 0 ? exact : found;
  const count = exact.length || total || found.length;
  const [only] = meant;
  if (only && count === 1) return { given: text, id: only.id, name: only.name };
  const customers = await Promise.all(
    meant.slice(0, mostNamed).map(async (it, at) => {
      const isAsked = it.city === '' && at < mostCities;
      return isAsked ? { ...it, city: await readCity(client, it.id, how) } : it;
    }),
  );
  throw new InputError(
    endpointMessages.which_customer({ name: text, count, customers }),
    'customer_id',
  );
}

/** Cities that are asked for by a request each: they tell customers of one name apart. */
const mostCities = 6;

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
  const texts = parts.map(([, it]) => toText(it).trim());
  return toText(row.name).trim() || texts.join(' ').trim();
}

/** Pages that are read at once: more would mostly be older than the order that is meant. */
const width = 4;

/**
 * The id of an order by its number, which the platform cannot look up: the lists of orders are looked through, the
 * newest first, until it is found, and no further than one call may read.
 * @throws {InputError} when it is not among them, with how far was looked
 */
export async function findOrder(
  { client, maxRows }: Pick<Services, 'client' | 'maxRows'>,
  number: string,
  how: GetOptions,
  period: Period,
): Promise<ResolvedName> {
  const trimmed = number.trim();
  const limit = largestPage(listOrders);
  const isMeant = ({ order_number: it }: JsonObject) =>
    toText(it).toLowerCase() === trimmed.toLowerCase();
  let found: JsonObject | undefined;
  let total = 0;
  /** What is at this place and behind it need not be read: the order was found before it, or rows ended. */
  let end = Number.POSITIVE_INFINITY;

  async function look(start: number, options: GetOptions): Promise<void> {
    if (start >= end) return;
    const query = { from: period.from, to: period.to, start, limit };
    const page = await client.get(listOrders.path, { ...how, ...options, query });
    const { rows } = page;
    const row = rows.filter(isRecord).find((it) => isMeant(it) && Number.isSafeInteger(it.id));
    if (start === 0) total = page.total || 0;
    if ((row || rows.length === 0) && start < end) [found, end] = [row, start];
  }

  await look(0, {});
  const reach = Math.min(total, maxRows);
  if (reach > limit && end > 0) {
    const deadline = how.deadline ?? client.progressDeadline();
    const count = Math.ceil(reach / limit) - 1;
    const starts = Array.from({ length: count }, (_, at) => (at + 1) * limit);
    await inParallel(starts, width, how.signal, (start, signal) =>
      look(start, { priority: 'bulk', deadline, signal }),
    );
  }
  const days = { from: period.from, to: period.to };
  if (found) {
    const { id, order_number: name } = found;
    const note = `looked for among the orders of ${sayDays(days)}`;
    return { given: trimmed, id: toNumber(id), name: toText(name), note };
  }
  const searched = { number: trimmed, days, looked: reach, total };
  throw new InputError(endpointMessages.no_such_order(searched), 'order_number');
}
