/** What a reader has to know about the answer of an endpoint: sentences, each from the answer itself. */
import type { GetOptions } from '../../client/request/get.ts';
import { isRecord, type JsonObject, numberIn } from '../../core/json.ts';
import { isNumeric, toDecimal } from '../../core/money.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { countNoun, passOn } from '../../core/text.ts';
import { type Endpoint, endpointName, isPaged } from '../../endpoints/define.ts';
import type { Call } from '../answer.ts';
import { bounded } from '../reference/reference.ts';
import { misplacedIds } from '../reference/resolve.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import type { PreparedRequest } from './prepare-request.ts';
import { tableTtlMs } from './read-endpoint.ts';

/** Arguments about the form of an answer or its days; the others choose rows. */
const formOrDays: ReadonlySet<string> = new Set(
  'all start limit fields sort top period from to date since cursor sections'.split(' '),
);

/**
 * What was looked for where no rows were found, and why there may be none: an id of another space
 * filters everything away without an error. Else, by one request for one row, how many rows the same
 * days have without the filters; not for a statement, which finds out by itself.
 */
export async function noRows(
  { client, reference }: Pick<Services, 'client' | 'reference'>,
  endpoint: Endpoint,
  { path, query, pinned, period, resolved }: PreparedRequest,
  since: string | undefined,
  { signal, bulk }: Call,
): Promise<string[]> {
  const { noun = 'rows' } = endpoint;
  const filters = Object.keys(pinned).filter((name) => !formOrDays.has(name));
  const meant = filters.map((name) => {
    const named = resolved[name];
    return `${name} ${named ? `${named.name} (${named.id})` : String(pinned[name])}`;
  });
  const where = [
    ...(period ? [`of ${sayDays(period)}`] : []),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(meant.length > 0 ? [`with ${meant.join(', ')}`] : []),
  ];
  const said = where.length > 0 ? [`There are no ${noun} ${where.join(' ')}.`] : [];
  if (filters.includes('q'))
    said.push(
      'Whether the search sees past accents and spelling is not documented: try a part of the word.',
    );
  const misplaced = await misplacedIds(reference, pinned, signal);
  if (misplaced.length > 0) return [...misplaced, ...said];
  const left = Object.entries(query).filter(([name]) => !filters.includes(name));
  if (left.length === Object.keys(query).length || bulk || !isPaged(endpoint)) return said;
  const others = Object.fromEntries(left);
  const total = await countRows(client, endpoint, path, others, signal ? { signal } : {});
  if (total === undefined) return said;
  const there = total === 0 ? `no ${noun} either` : countNoun(total, noun.replace(/s$/, ''));
  const verb = total === 1 ? 'is' : 'are';
  return [...said, `Without ${filters.join(', ')} there ${verb} ${there}.`];
}

/** How many rows a paged list has, by one request for one row; undefined where that cannot be had. */
async function countRows(
  client: Services['client'],
  endpoint: Endpoint,
  path: string,
  query: PreparedRequest['query'],
  how: GetOptions,
): Promise<number | undefined> {
  const first = { query: { ...query, start: 0, limit: 1 }, holdsRows: true };
  const asked = { ...how, ...first, endpoint: endpointName(endpoint) };
  // The answer is complete without it.
  const { body } = await client.get(path, asked).catch(() => ({ body: undefined }));
  const total = isRecord(body) ? numberIn(body.total) : Number.NaN;
  return Number.isSafeInteger(total) ? total : undefined;
}

/**
 * How many internal orders match a question that leaves them to the platform: one request beside it,
 * cached as its days are. A statement is told what is cached, and makes no request for it.
 */
export async function countInternal(
  { client }: Services,
  endpoint: Endpoint,
  { path, query: given, period }: PreparedRequest,
  { nowMs, bulk, signal }: Call,
): Promise<number | undefined> {
  if (!('is_internal' in endpoint.input.shape) || 'is_internal' in given) return undefined;
  const query = { ...given, is_internal: 1, start: 0, limit: 1 };
  const cacheForMs = tableTtlMs(period, nowMs);
  if (bulk && !client.isKept(path, { query, cacheForMs })) return undefined;
  const beside = { cacheForMs, signal: bounded(signal), priority: 'prefetch' } as const;
  return countRows(client, endpoint, path, query, beside);
}

/**
 * What arguments that were left out meant for this answer, by argument: the platform chose.
 * @param internal how many internal orders match the question, where that is known
 */
export function leftOpen(
  { input: { shape } }: Pick<Endpoint, 'input'>,
  input: JsonObject,
  rows: readonly Row[],
  internal?: number,
): Record<string, string> {
  const notes: Record<string, string> = {};
  const isLeftOpen = (name: string) => name in shape && input[name] === undefined;
  const has = (column: string) => rows.some((row) => (row[column] ?? undefined) !== undefined);
  if (isLeftOpen('is_internal') && has('is_internal')) {
    const own = rows.filter(({ is_internal: it }) => it === true || it === 1 || it === '1').length;
    notes.is_internal = `left out: ${sayInternal(own, rows.length, internal)}`;
  }
  if (isLeftOpen('location_id') && has('stock') && !has('location_id'))
    notes.location_id = 'left out: stock is the sum over all locations';
  return notes;
}

function sayInternal(own: number, shown: number, existing: number | undefined): string {
  if (own > 0) return `of these ${countNoun(shown, 'order')}, internal: ${own}`;
  if (existing === 0) return 'no internal orders exist for this question';
  const exist =
    existing === undefined
      ? 'is_internal true says whether any exist'
      : `${existing.toLocaleString('en-US')} ${existing === 1 ? 'exists' : 'exist'} (is_internal true)`;
  return `none of these is internal; ${exist}`;
}

/** A sentence about a report in which every figure is zero. */
export function allZero(report: unknown, period: Period | undefined): string[] {
  // Most reports are done with at their first figure.
  const isZero = !holds(report, (figure) => figure !== 0) && holds(report, () => true);
  if (period === undefined || !isZero) return [];
  const when = period.from === period.to ? 'that day' : 'those days';
  return [`Every figure of ${sayDays(period)} is zero: no orders and no payments on ${when}.`];
}

/** Whether a report holds a figure that is wanted. */
function holds(value: unknown, isWanted: (figure: number) => boolean, key = ''): boolean {
  if (Array.isArray(value)) return value.some((item) => holds(item, isWanted));
  if (isRecord(value)) return Object.keys(value).some((name) => holds(value[name], isWanted, name));
  const isFigure = isNumeric(value) && !/(^|_)(id|from|to|date|percentage|rate)$/.test(key);
  return isFigure && isWanted(Number(value));
}

/**
 * Each `balance_check` of a report that says no: a claim that is false, or a `difference` (with or
 * without VAT) that is not zero. Its fields are not documented: nothing else in it is read (docs/platform.md#reports).
 */
export function balanceWarnings(report: unknown, period: Period | undefined): string[] {
  const warnings: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, path);
    if (!isRecord(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      const place = path === '' ? key : `${path}.${key}`;
      if (key === 'balance_check') warnings.push(...sayUnbalanced(place, inner, period));
      else walk(inner, place);
    }
  };
  walk(report, '');
  return warnings;
}

function sayUnbalanced(place: string, check: unknown, period: Period | undefined): string[] {
  const fields = isRecord(check) ? Object.entries(check) : [];
  const [, given] = fields.find(([name]) => /^(difference|verschil)/.test(name)) ?? [];
  const difference = toDecimal(given);
  const isStated = difference !== undefined && !difference.isZero();
  const isDenied = check === false || fields.some(([, value]) => value === false);
  if (!isStated && !isDenied) return [];
  const about = period === undefined ? '' : ` of ${sayDays(period)}`;
  const stated = isStated ? ` The difference is ${difference.toFixed(2)} euros.` : '';
  return [`Payments${about} do not balance with the total (${place}).${stated} ${passOn}`];
}
