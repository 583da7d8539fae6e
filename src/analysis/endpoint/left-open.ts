import { isRecord, type JsonObject } from '../../core/json.ts';
import { isNumeric } from '../../core/money.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { countNoun } from '../../core/text.ts';
import type { Endpoint } from '../../endpoints/define.ts';
import type { Row } from '../rows/rows.ts';

/**
 * What an argument that was left out meant for this answer, in a sentence each: the platform chose,
 * and a reader has to know what.
 */
export function leftOpen(
  { input: { shape } }: Pick<Endpoint, 'input'>,
  input: JsonObject,
  rows: readonly Row[],
): Record<string, string> {
  const notes: Record<string, string> = {};
  if ('is_internal' in shape && input.is_internal === undefined) {
    const { internal, told } = countInternal(rows);
    if (told > 0) notes.is_internal = sayInternal(internal, told);
  }
  if ('location_id' in shape && input.location_id === undefined) {
    const has = (column: string) => rows.some((row) => Object.hasOwn(row, column));
    if (has('stock') && !has('location_id'))
      notes.location_id = 'left out: stock is the sum over all locations';
  }
  return notes;
}

/** How many rows are internal, of those that tell. */
function countInternal(rows: readonly Row[]): { internal: number; told: number } {
  let internal = 0;
  let told = 0;
  for (const { is_internal: flag } of rows) {
    if (flag !== null && flag !== undefined) told++;
    if (flag === true || flag === 1 || flag === '1') internal++;
  }
  return { internal, told };
}

function sayInternal(internal: number, count: number): string {
  const left = "left out, the platform's default";
  if (count === 1) return `${left}: this order is ${internal === 1 ? '' : 'not '}internal`;
  const are = internal === 1 ? 'is' : 'are';
  return `${left}: ${internal.toLocaleString('en-US')} of these ${countNoun(count, 'order')} ${are} internal`;
}

/** A sentence about a report in which every figure is zero, or that no rows were found. */
export function nothingThere(
  endpoint: Pick<Endpoint, 'noun' | 'toolset'>,
  given: JsonObject,
  payload: JsonObject,
  rows: readonly Row[] | undefined,
  { period, since }: { period?: Period | undefined; since?: string | undefined },
): string[] {
  if (rows === undefined) {
    if (endpoint.toolset !== 'reports' || period === undefined) return [];
    // Most reports are done with at their first figure.
    const isNothing = !holds(payload, (figure) => figure !== 0) && holds(payload, () => true);
    return isNothing
      ? [
          `Every figure of ${sayDays(period)} is zero: no orders and no payments on ${period.from === period.to ? 'that day' : 'those days'}.`,
        ]
      : [];
  }
  if (rows.length > 0) return [];
  const filters = filtersIn(given).map((name) => `${name} ${String(given[name])}`);
  const where = [
    ...(period ? [`of ${sayDays(period)}`] : []),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(filters.length > 0 ? [`with ${filters.join(', ')}`] : []),
  ];
  const isGroup = given.product_group_id !== undefined;
  return [
    ...(where.length === 0 ? [] : [`There are no ${endpoint.noun ?? 'rows'} ${where.join(' ')}.`]),
    ...(isGroup
      ? ['A turnover group may hold no products: shipping and payment costs are lines of orders.']
      : []),
  ];
}

/** The arguments that choose rows, rather than days or the form of the answer. */
export function filtersIn(given: JsonObject): string[] {
  return Object.keys(given).filter((name) => !form.has(name) && given[name] !== undefined);
}

/** Arguments about the form of an answer or the days, which are said otherwise. */
const form: ReadonlySet<string> = new Set(
  'all start limit fields sort top period from to date since cursor sections'.split(' '),
);

/** Whether a report holds a figure that is wanted, as near as a double is: only zero is zero. */
function holds(value: unknown, isWanted: (figure: number) => boolean, key = ''): boolean {
  if (Array.isArray(value)) return value.some((item) => holds(item, isWanted));
  if (isRecord(value)) return Object.keys(value).some((name) => holds(value[name], isWanted, name));
  if (!isNumeric(value) || /(^|_)(id|from|to|date|percentage|rate)$/.test(key)) return false;
  return isWanted(Number(value));
}
