/** Warnings and notes about the answer of an endpoint, found in the answer itself. */
import type { GetOptions } from '../../client/request/get.ts';
import {
  addDays,
  amsterdamDay,
  type Day,
  type Days,
  hourlyClock,
  readTimestamp,
  weekdayOf,
} from '../../core/calendar.ts';
import { fieldOf, isNoFigure } from '../../core/column-name.ts';
import { isRecord, type JsonObject, toNumber } from '../../core/json.ts';
import type { Warning } from '../../core/message.ts';
import { type Decimal, isNumeric, toDecimal, zero } from '../../core/money.ts';
import { type Period, periodWarnings } from '../../core/periods.ts';
import { countNoun, sayArgument } from '../../core/text.ts';
import { type Endpoint, isPaged, isReport } from '../../endpoints/define.ts';
import { getFinancialReport, getProductSales } from '../../endpoints/reports.ts';
import type { AnswerContext, TextsByName } from '../answer.ts';
import { someFigure } from '../reference/facts.ts';
import { comparisonOf, misplacedIds, severalShops } from '../reference/resolve.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { endpointMessages } from './messages.ts';
import type { PreparedRequest } from './prepare-request.ts';

interface Reading {
  payload: JsonObject;
  /** Set for a list. */
  rows?: readonly Row[] | undefined;
  /** About pages: rows that moved, or came again. */
  notes: readonly Warning[];
  /** About withheld columns, and about shops of a location. */
  warnings: readonly Warning[];
}

type Rule = (
  reading: Reading,
  request: PreparedRequest,
  services: Services,
) => readonly Warning[] | Promise<readonly Warning[]>;

/** Each rule decides which answers it applies to. */
const rules: readonly Rule[] = [
  (_, { period, isPart, call }) => (period && !isPart ? periodWarnings(period, call.nowMs) : []),
  ({ notes }) => notes.filter((note) => !isRepetition(note)),
  ({ rows }, request, services) => (rows?.length === 0 ? noRows(services, request) : []),
  // Only ids that a person may have typed are checked.
  (_, { resolvedArguments: { product_ids: ids }, call }, { productIds }) =>
    typeof ids === 'string' && !call.statementDeadline
      ? productIds.checkInnerIds(ids.split(',').map(Number))
      : [],
  ({ payload, rows }, { resolvedArguments: { shop_product_id: id } }, { productIds }) =>
    id === undefined || rows
      ? []
      : productIds.checkProduct(Number(id), isRecord(payload.data) ? payload.data : payload),
  ({ warnings }) => warnings,
  ({ payload }, { endpoint, period }) =>
    isReport(endpoint)
      ? [...zeroWarnings(payload, period), ...balanceWarnings(payload, period)]
      : [],
];

/** The warnings in the order of the rules. @throws {PlatformError} where another product came than was asked for */
export async function findWarnings(...parameters: Parameters<Rule>): Promise<Warning[]> {
  return (await Promise.all(rules.map((rule) => rule(...parameters)))).flat();
}

/** Rows that came again count once, so they are noted without a warning. */
export function isRepetition({ code }: Warning): boolean {
  return code === 'repeated_rows';
}

/** Parameters that are no filters. */
const pagesAndDays = ['start', 'limit', 'from', 'to', 'date', 'since', 'cursor'];

function filtersOf({ query = {} }: Pick<GetOptions, 'query'>): string[] {
  return Object.keys(query).filter((name) => !pagesAndDays.includes(name));
}

/**
 * Explains an empty list: by an id of another space, which the platform accepts, or else by the number of rows without
 * the filters, for one request (not in statements).
 */
async function noRows(
  services: Services,
  { endpoint, path, how, resolvedArguments, call }: PreparedRequest,
): Promise<Warning[]> {
  const misplaced = await misplacedIds(services.reference, resolvedArguments, call.signal);
  if (misplaced.length > 0) return misplaced;
  const filters = filtersOf(how);
  if (filters.length === 0 || call.statementDeadline || !isPaged(endpoint)) return [];
  const others = Object.entries(how.query).filter(([name]) => !filters.includes(name));
  const query = { ...Object.fromEntries(others), start: 0, limit: 1 };
  const counted = await services.client.get(path, { ...how, query }).catch(() => undefined);
  const { total = Number.NaN } = counted ?? {};
  if (!Number.isSafeInteger(total)) return [];
  return [endpointMessages.no_rows({ filters, count: total, noun: endpoint.noun ?? 'rows' })];
}

/** Warns if the location of a report was given by name and has several shops, of which one may be meant. */
export async function shopsOfLocation(
  { reference }: Pick<Services, 'reference'>,
  { endpoint, resolved: { location_id: location }, input, call }: PreparedRequest,
): Promise<Warning[]> {
  if (location === undefined || endpoint.toolset !== 'reports') return [];
  // Without days, the warnings of a statement's many calls are the same.
  const days = call.statementDeadline ? {} : input;
  const shopCall = { tool: 'compare_turnover', arguments: comparisonOf(days) };
  return severalShops(reference, location, shopCall, call.signal);
}

/** Says whether product sales are less returns on this account. */
export async function returnsNote(
  { survey }: Services,
  { endpoint, call }: PreparedRequest,
): Promise<string | undefined> {
  if (call.statementDeadline || endpoint.tool !== getProductSales.tool) return undefined;
  return (await survey.behaviour('product_sales_returns', call.signal))?.text;
}

/** Tells for arguments that were left out what the platform chose, as its rows show. */
export function leftOpen(
  { input: { shape } }: Pick<Endpoint, 'input'>,
  input: JsonObject,
  rows: readonly Row[],
): TextsByName | undefined {
  const notes = Object.entries(defaults).flatMap(([name, meaningIn]) => {
    const isLeftOut = name in shape && input[name] === undefined;
    const meaning = isLeftOut ? meaningIn(rows) : undefined;
    return meaning === undefined ? [] : [[name, `left out: ${meaning}`]];
  });
  return notes.length > 0 ? Object.fromEntries(notes) : undefined;
}

const defaults: Readonly<Record<string, (rows: readonly Row[]) => string | undefined>> = {
  is_internal(rows) {
    // The column is not documented.
    const column = Object.keys(rows[0] ?? {}).find((name) => /(^|_)internal$/.test(name));
    if (column === undefined || !hasValues(rows, column)) return undefined;
    const internal = rows.filter((row) => [true, 1, '1'].some((yes) => yes === row[column]));
    return internal.length === 0
      ? 'none of these is internal (is_internal: true asks for them)'
      : `of these ${countNoun(rows.length, 'order')}, internal: ${internal.length} (is_internal: false leaves them out)`;
  },
  location_id: (rows) =>
    hasValues(rows, 'stock') && !hasValues(rows, 'location_id')
      ? 'stock is the sum over all locations'
      : undefined,
  include_negative: () => 'orders whose discount is below zero are not among these',
};

function hasValues(rows: readonly Row[], column: string): boolean {
  return rows.some((row) => (row[column] ?? undefined) !== undefined);
}

/** Warns of payments that do not balance, wherever in a report the check is (docs/platform.md#reports). */
export function balanceWarnings(report: unknown, period: Days | undefined): Warning[] {
  const warnings: Warning[] = [];
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, path);
    if (!isRecord(value)) return;
    for (const [key, inner] of Object.entries(value))
      if (key === 'balance_check') warnings.push(...unbalanced(path + key, inner, period));
      else if (typeof inner === 'object') visit(inner, `${path}${key}.`);
  };
  visit(report, '');
  return warnings;
}

function unbalanced(path: string, check: unknown, period: Days | undefined): Warning[] {
  const fields = isRecord(check) ? Object.entries(check) : [];
  // A check fails by a claim that is false, or by a difference (with or without VAT) that is not zero.
  const stated = readDifference(fields);
  const difference = stated?.isZero() === false ? stated.toFixed(2) : undefined;
  const isDenied = check === false || fields.some(([, value]) => value === false);
  if (difference === undefined && !isDenied) return [];
  const days = period && { from: period.from, to: period.to };
  return [endpointMessages.balance_differs({ path, period: days, difference })];
}

/** The number that is called a difference, else the smallest of three, if the other two differ by it. */
function readDifference(fields: readonly [name: string, value: unknown][]) {
  const named = fields.find(([name]) => /^(difference|verschil)/.test(name));
  if (named) return toDecimal(named[1]);
  // A claim that is false may be written as 0.
  const numbers = fields
    .flatMap(([, value]) => toDecimal(value) ?? [])
    .filter((number) => !number.isZero());
  const [smallest, second, third, ...others] = numbers.toSorted((a, b) => a.abs().cmp(b.abs()));
  const isApart =
    smallest &&
    third
      ?.minus(second ?? 0)
      .abs()
      .equals(smallest.abs());
  return isApart && others.length === 0 ? smallest : undefined;
}

/** Whether a report has an amount that is not zero, outside of its balance check. */
export function hasTrade(report: unknown): boolean {
  return someFigure(report, (measure, value) => Number(value) !== 0 && isFigure(measure));
}

function isFigure(measure: string): boolean {
  return !isNoFigure(fieldOf(measure)) && !/(^|\.)balance_check(\.|$)/.test(measure);
}

/** Says that a report of zeros means no trade, since zeros look like missing figures. */
export function zeroWarnings(report: unknown, period: Period | undefined): Warning[] {
  if (period === undefined || hasTrade(report) || !someFigure(report, isFigure)) return [];
  return [endpointMessages.all_zero({ period: { from: period.from, to: period.to } })];
}

/** Explains figures of a report that are easily misread. */
export function reportNotes(
  { endpoint, period }: Pick<PreparedRequest, 'endpoint' | 'period'>,
  report: JsonObject,
  warnings: readonly Warning[],
  hasTool: Services['hasTool'],
): TextsByName | undefined {
  if (!isReport(endpoint)) return undefined;
  // Figures per VAT rate (docs/platform.md#reports).
  const hasRates = (block: string) =>
    someFigure(report[block], (_, __, { ids }) => 'tax_rate_id' in ids);
  const notes: Record<string, string> = {};
  if (endpoint.tool === getFinancialReport.tool && ['direct_paid', 'not_paid_now'].every(hasRates))
    notes['VAT of a rate'] =
      `is direct_paid and not_paid_now together${hasTool('compare_turnover') ? `: compare_turnover ${sayArgument('by', 'tax_rate')} adds them` : ''}`;
  Object.assign(notes, balanceNote(report));
  if (period && warnings.some(({ code }) => code === 'balance_differs')) {
    const { from, to } = period;
    if (from !== to && hasTool('turnover_trend'))
      notes.balance_check =
        'of each day is shown by turnover_trend with measures ["balance_check"]';
    if (from === to && hasTool('query'))
      notes.balance_check = `does not say which order it is: to find it by query, compare the total of each order in list_orders of ${from} with what was paid on it (list_order_items, get_order)`;
  }
  return Object.keys(notes).length > 0 ? notes : undefined;
}

/**
 * Explains a balance check of less than the turnover: it covers only payments (docs/platform.md#reports). A check
 * compares two amounts; turnover is the figure of the whole that is given with and without VAT.
 */
function balanceNote(report: JsonObject): TextsByName {
  // Most reports have no such turnover.
  if (!Object.keys(report).some((name) => isNumeric(report[`${name}_wt`]))) return {};
  const totals = new Map<string, Decimal>();
  someFigure(report, (measure, value, { split, isNamed }) => {
    const isNeeded = !measure.includes('.') || /(^|\.)balance_check\.[^.]+$/.test(measure);
    if (isNeeded && split === '' && isNamed) totals.set(measure, toDecimal(value) ?? zero);
    return false;
  });
  const amounts = [...totals].filter(([measure]) => measure.includes('.'));
  const [, lesser] = amounts.map(([, value]) => value.abs()).toSorted((a, b) => b.cmp(a));
  const [total, amount] = (lesser && amounts.find(([, value]) => value.abs().gte(lesser))) ?? [];
  const plain = [...totals.keys()].find((key) => !key.includes('.') && totals.has(`${key}_wt`));
  const name = plain && total?.endsWith('_wt') ? `${plain}_wt` : plain;
  const turnover = name === undefined ? undefined : totals.get(name);
  if (!total || !turnover || !amount || amount.gte(turnover)) return {};
  const text = `is less than ${name}: it covers only what was paid at once, while turnover includes what is invoiced and not paid yet (not_paid_now of get_financial_report)`;
  return { [total]: text };
}

/** The first days without rows, for a complete list. */
export function emptyDaysOf(
  { endpoint, period, resolvedArguments: { start = 0 }, how, call }: PreparedRequest,
  rows: readonly Row[],
  hasRest: boolean,
): AnswerContext['empty_days'] {
  if (hasRest || toNumber(start) > 0 || !period) return undefined;
  // Under a filter, a day without rows is nothing special.
  if (filtersOf(how).length > 0) return undefined;
  const empty = emptyDays(rows, period, call.nowMs) ?? [];
  if (empty.length === 0) return undefined;
  const first = { count: empty.length, days: empty.slice(0, 3) };
  const { noun = 'rows' } = endpoint;
  const named = first.days.map((day) => `${day} (${weekdayOf(day)})`);
  const on = first.count > 3 ? `${first.count} days, the first ${named[0]}` : named.join(', ');
  return { ...first, text: `no ${noun} at all on ${on}` };
}

/**
 * The days of a period, up to yesterday, on which no row was created; undefined where no column tells. It takes a column
 * of moments in every row, each within the period and none later than in another such column.
 */
export function emptyDays(rows: readonly Row[], period: Days, nowMs: number): Day[] | undefined {
  const columns = Object.keys(rows[0] ?? {}).flatMap((column) => {
    const days = daysOf(rows, column, period);
    return days ? [days] : [];
  });
  const created = columns.find((days) =>
    columns.every((other) => days.every((day, row) => day <= (other[row] ?? day))),
  );
  if (created === undefined) return undefined;
  const daysWithRows = new Set(created);
  const yesterday = addDays(amsterdamDay(nowMs), -1);
  const last = period.to < yesterday ? period.to : yesterday;
  const empty: Day[] = [];
  for (let day = period.from; day <= last; day = addDays(day, 1))
    if (!daysWithRows.has(day)) empty.push(day);
  return empty;
}

/** The day of each row; undefined where a cell is no moment, or lies outside of the period. */
function daysOf(rows: readonly Row[], column: string, { from, to }: Days): Day[] | undefined {
  const days: Day[] = [];
  const clockOf = hourlyClock();
  for (const { [column]: value } of rows) {
    const clock = typeof value === 'string' ? clockOf(value) : undefined;
    const day = clock?.slice(0, '2026-11-19'.length) ?? dayOf(value);
    if (day === undefined || day < from || day > to) return undefined;
    days.push(day);
  }
  return days;
}

function dayOf(value: unknown): Day | undefined {
  const moment = readTimestamp(value);
  return moment?.hasTime ? amsterdamDay(moment.ms) : undefined;
}
