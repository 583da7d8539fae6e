/** What a reader has to know about the answer of an endpoint: sentences, each from the answer itself. */
import type { GetOptions } from '../../client/request/get.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import { isRecord, type JsonObject, numberIn } from '../../core/json.ts';
import { isNumeric, toDecimal } from '../../core/money.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { countNoun, passOn } from '../../core/text.ts';
import { type Endpoint, endpointName, isPaged } from '../../endpoints/define.ts';
import type { Call } from '../answer.ts';
import type { Services } from '../services.ts';
import type { PreparedRequest } from './prepare-request.ts';

/** A sentence about a report in which every figure is zero. */
export function allZero(
  { toolset }: Pick<Endpoint, 'toolset'>,
  report: JsonObject,
  period: Period | undefined,
): string[] {
  if (toolset !== 'reports' || period === undefined) return [];
  // Most reports are done with at their first figure.
  const isZero = !holds(report, (figure) => figure !== 0) && holds(report, () => true);
  const when = period.from === period.to ? 'that day' : 'those days';
  return isZero
    ? [`Every figure of ${sayDays(period)} is zero: no orders and no payments on ${when}.`]
    : [];
}

/** Whether a report holds a figure that is wanted. */
function holds(value: unknown, isWanted: (figure: number) => boolean, key = ''): boolean {
  if (Array.isArray(value)) return value.some((item) => holds(item, isWanted));
  if (isRecord(value)) return Object.keys(value).some((name) => holds(value[name], isWanted, name));
  if (!isNumeric(value) || /(^|_)(id|from|to|date|percentage|rate)$/.test(key)) return false;
  return isWanted(Number(value));
}

/** What was looked for where no rows were found; `given` has names where ids were looked up by name. */
export function noRows(
  { noun = 'rows' }: Pick<Endpoint, 'noun'>,
  given: JsonObject,
  { period, since }: { period?: Period | undefined; since?: string | undefined },
): string[] {
  const filters = filtersIn(given).map((name) => `${name} ${String(given[name])}`);
  const where = [
    ...(period ? [`of ${sayDays(period)}`] : []),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(filters.length > 0 ? [`with ${filters.join(', ')}`] : []),
  ];
  const isSearch = given.q !== undefined && given.q !== '';
  const isGroup = given.product_group_id !== undefined;
  return [
    ...(where.length === 0 ? [] : [`There are no ${noun} ${where.join(' ')}.`]),
    ...(isSearch
      ? [
          'Whether the search sees past accents and spelling is not documented: try a part of the word.',
        ]
      : []),
    ...(isGroup
      ? ['A turnover group may hold no products: shipping and payment costs are lines of orders.']
      : []),
  ];
}

/**
 * How many rows the same days have without the filters, by one request for one row. Nothing where
 * that cannot be had so cheaply, or for a statement, which finds out by itself.
 */
export async function withoutFilters(
  { client }: Pick<Services, 'client'>,
  endpoint: Endpoint,
  { path, query }: PreparedRequest,
  { signal, bulk }: Call,
): Promise<string[]> {
  const filters = filtersIn(query);
  if (filters.length === 0 || bulk || !isPaged(endpoint)) return [];
  const kept = Object.entries(query).filter(([name]) => !filters.includes(name));
  const others = Object.fromEntries(kept);
  const total = await countRows(client, endpoint, path, others, signal ? { signal } : {});
  if (total === undefined) return [];
  const { noun = 'rows' } = endpoint;
  const there = total === 0 ? `no ${noun} either` : countNoun(total, noun.replace(/s$/, ''));
  return [`Without ${filters.join(', ')} there ${total === 1 ? 'is' : 'are'} ${there}.`];
}

/** How many rows a paged list has, by one request for one row; undefined where that cannot be had. */
export async function countRows(
  client: Services['client'],
  endpoint: Endpoint,
  path: string,
  query: PreparedRequest['query'],
  how: GetOptions,
): Promise<number | undefined> {
  try {
    const { body } = await client.get(path, {
      endpoint: endpointName(endpoint),
      query: { ...query, start: 0, limit: 1 },
      holdsRows: true,
      ...how,
    });
    const total = isRecord(body) ? numberIn(body.total) : Number.NaN;
    return Number.isSafeInteger(total) ? total : undefined;
  } catch (error) {
    // The answer is complete without it.
    if (!(error instanceof CommerceError) || hasCode(error, 'cancelled')) throw error;
    return undefined;
  }
}

/** Arguments about the form of an answer or its days. */
const formOrDays: ReadonlySet<string> = new Set(
  'all start limit fields sort top period from to date since cursor sections'.split(' '),
);

/** The arguments that choose rows. */
function filtersIn(given: JsonObject): string[] {
  return Object.keys(given).filter((name) => !formOrDays.has(name) && given[name] !== undefined);
}

/**
 * Each `balance_check` of a report that says no: a claim that is false, or a `difference` (with or
 * without VAT) that is not zero. Its fields are not documented: nothing else in it is read (docs/platform.md#reports).
 */
export function balanceWarnings(report: unknown, period: Period | undefined): string[] {
  const warnings = new Set<string>();
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, path);
    if (!isRecord(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      const place = path === '' ? key : `${path}.${key}`;
      if (key !== 'balance_check') walk(inner, place);
      else if (!balances(inner)) warnings.add(sayUnbalanced(place, inner, period));
    }
  };
  walk(report, '');
  return [...warnings];
}

function balances(check: unknown): boolean {
  if (check === false) return false;
  return !isRecord(check) || (!Object.values(check).includes(false) && !differenceIn(check));
}

/** The difference that a check states, where it is not zero. */
function differenceIn(check: unknown) {
  const found = Object.entries(isRecord(check) ? check : {}).find(([name]) =>
    /^(difference|verschil)/.test(name),
  );
  const difference = toDecimal(found?.[1]);
  return difference?.isZero() ? undefined : difference;
}

function sayUnbalanced(place: string, check: unknown, period: Period | undefined): string {
  const difference = differenceIn(check);
  const about = period === undefined ? '' : ` of ${sayDays(period)}`;
  const stated = difference ? ` The difference is ${difference.toFixed(2)} euros.` : '';
  return `Payments${about} do not balance with the total (${place}).${stated} ${passOn}`;
}
