/** What a reader has to know about the answer of an endpoint, each thing from the answer itself. */
import type { GetOptions } from '../../client/request/get.ts';
import type { Days } from '../../core/calendar.ts';
import { fieldOf, isNoFigure } from '../../core/column-name.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { toDecimal } from '../../core/money.ts';
import type { Period } from '../../core/periods.ts';
import { countNoun } from '../../core/text.ts';
import type { Warning } from '../../core/warning.ts';
import { type Endpoint, isPaged } from '../../endpoints/define.ts';
import { getDailyClose, getFinancialReport, getProductSales } from '../../endpoints/reports.ts';
import type { Call } from '../answer.ts';
import type { Fact } from '../reference/facts.ts';
import { maxWaitMs } from '../reference/reference.ts';
import { misplacedIds } from '../reference/resolve.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import type { PreparedRequest } from './prepare-request.ts';

declare module '../../core/message.ts' {
  interface Messages {
    /** `path` of the check within the report; the difference in euros, where it is stated. */
    balance_differs: { path: string; period?: Days | undefined; difference?: string | undefined };
    all_zero: { period: Days };
  }
}

/** What is sent about pages and days; what else is sent chooses rows. */
const pagesAndDays = ['start', 'limit', 'from', 'to', 'date', 'since', 'cursor'];

/** The names of what chooses among the rows of the same days. */
export function filtersOf({ query = {} }: Pick<GetOptions, 'query'>): string[] {
  return Object.keys(query).filter((name) => !pagesAndDays.includes(name));
}

/**
 * Why there may be no rows: an id of another space filters everything away without an error. Else, by one request,
 * how many rows the same days have without the filters; not for a statement, which finds out by itself.
 */
export async function noRows(request: PreparedRequest): Promise<Warning[]> {
  const { services, endpoint, path, how, resolvedArguments, call } = request;
  const misplaced = await misplacedIds(services.reference, resolvedArguments, call.signal);
  if (misplaced.length > 0) return misplaced;
  const filters = filtersOf(how);
  if (filters.length === 0 || call.statementDeadline || !isPaged(endpoint)) return [];
  const others = Object.entries(how.query).filter(([name]) => !filters.includes(name));
  const query = { ...Object.fromEntries(others), start: 0, limit: 1 };
  // The answer is complete without it.
  const counted = await services.client.get(path, { ...how, query }).catch(() => undefined);
  const { total = Number.NaN } = counted ?? {};
  if (!Number.isSafeInteger(total)) return [];
  const { noun = 'rows' } = endpoint;
  const there = total === 0 ? `no ${noun} either` : countNoun(total, noun.replace(/s$/, ''));
  const without = `Without ${filters.join(', ')} there ${total === 1 ? 'is' : 'are'} ${there}.`;
  const texts = filters.includes('q') ? [without, 'Try a part of the word.'] : [without];
  return texts.map((text) => ({ code: 'no_rows', text }));
}

/** What the platform does with internal orders where it was left to it; a statement takes what is known by now. */
export async function internalOrders(
  { survey, fence }: Services,
  { statementDeadline, signal }: Call,
) {
  if (!fence.has('orders')) return undefined;
  return statementDeadline
    ? survey.known('internal_orders')
    : survey.behaviour('internal_orders', signal, maxWaitMs);
}

/** By what was found of them, without a number, which would be that of other days; and what asks for the others. */
export const internalWords: Readonly<Record<string, readonly [said: string, other?: string]>> = {
  left_out: ['internal orders are left out', ' (is_internal: true asks for them)'],
  included: ['internal orders are among these', ' (is_internal: false leaves them out)'],
  none: ['no internal orders in the last 30 days, so that is_internal made no difference there'],
};

/** The same in words for a list without the argument. */
export async function sayInternalOrders(request: PreparedRequest): Promise<string | undefined> {
  const { services, endpoint, how, call } = request;
  if (!('is_internal' in endpoint.input.shape) || 'is_internal' in how.query) return undefined;
  const known = await internalOrders(services, call);
  return internalWords[String(known?.value)]?.join('');
}

/** What the account showed of figures whose meaning the document leaves open: product sales, and the orders of a day. */
export async function sayBehaviour(request: PreparedRequest): Promise<string | undefined> {
  const { services, endpoint, call } = request;
  const { survey } = services;
  if (call.statementDeadline) return undefined;
  if (endpoint.tool === getProductSales.tool)
    return services.say(await survey.behaviour('product_sales_returns', call.signal, maxWaitMs));
  // The close comes by one request: what is not known by now is no reason for another.
  const known =
    endpoint.tool === getDailyClose.tool ? survey.known('reported_internal') : undefined;
  const [words] = internalWords[String(known?.value)] ?? [];
  return words && `order_count: ${words}`;
}

/**
 * What arguments that were left out meant for this answer, by argument: the platform chose.
 * @param internal what it does with internal orders, where that is known
 */
export function leftOpen(
  { input: { shape } }: Pick<Endpoint, 'input'>,
  input: JsonObject,
  rows: readonly Row[],
  internal?: string,
): Record<string, string> {
  const isLeftOpen = (name: string) => name in shape && input[name] === undefined;
  const has = (column: string) => rows.some((row) => (row[column] ?? undefined) !== undefined);
  const notes: Record<string, string> = {};
  if (isLeftOpen('is_internal') && (internal !== undefined || has('is_internal'))) {
    const found = rows.filter(
      ({ is_internal: it }) => it === true || it === 1 || it === '1',
    ).length;
    const some = `of these ${countNoun(rows.length, 'order')}, internal: ${found}`;
    notes.is_internal = `left out: ${found > 0 ? some : (internal ?? 'none of these is internal')}`;
  }
  if (isLeftOpen('location_id') && has('stock') && !has('location_id'))
    notes.location_id = 'left out: stock is the sum over all locations';
  if (isLeftOpen('include_negative'))
    notes.include_negative = 'left out: orders whose discount is below zero are not among these';
  return notes;
}

/** Payments of a report that do not balance: checks are found wherever they are (docs/platform.md#reports). */
export function balanceWarnings(
  report: unknown,
  period: Days | undefined,
  path: readonly string[] = [],
): Warning[] {
  if (Array.isArray(report)) return report.flatMap((item) => balanceWarnings(item, period, path));
  if (!isRecord(report)) return [];
  return Object.entries(report).flatMap(([key, value]) => {
    const place = [...path, key];
    if (key === 'balance_check') return unbalanced(place.join('.'), value, period);
    return balanceWarnings(value, period, place);
  });
}

/** A `balance_check` that says no: a claim that is false, or a `difference` (with or without VAT) that is not zero. */
function unbalanced(path: string, check: unknown, period: Days | undefined): Warning[] {
  const fields = isRecord(check) ? Object.entries(check) : [];
  const [, amount] = fields.find(([name]) => /^(difference|verschil)/.test(name)) ?? [];
  const stated = toDecimal(amount);
  const difference = stated?.isZero() === false ? stated.toFixed(2) : undefined;
  const isDenied = check === false || fields.some(([, value]) => value === false);
  if (difference === undefined && !isDenied) return [];
  const days = period && { from: period.from, to: period.to };
  return [{ code: 'balance_differs', path, period: days, difference }];
}

/** A report of zeros says in words that nothing happened: bare zeros read like figures that are missing. */
export function zeroWarnings(facts: readonly Fact[], period: Period | undefined): Warning[] {
  const figures = facts.filter(
    ({ measure }) => !isNoFigure(fieldOf(measure)) && !/(^|\.)balance_check(\.|$)/.test(measure),
  );
  const isZero = figures.length > 0 && figures.every(({ value }) => value.isZero());
  if (period === undefined || !isZero) return [];
  return [{ code: 'all_zero', period: { from: period.from, to: period.to } }];
}

/**
 * What figures of a report mean that is easily misread, by their names.
 * @param about.isUnbalancedOverDays whether its payments do not balance, over more days than one
 */
export function reportNotes(
  endpoint: Pick<Endpoint, 'tool'>,
  facts: readonly Fact[],
  about: { hasTool(name: string): boolean; isUnbalancedOverDays: boolean },
): Record<string, string> {
  const { hasTool, isUnbalancedOverDays } = about;
  const notes: Record<string, string> = {};
  // Figures per VAT rate (docs/platform.md#reports).
  const ofRates = facts.filter(({ ids }) => 'tax_rate_id' in ids);
  const both = ['direct_paid', 'not_paid_now'].every((block) =>
    ofRates.some(({ measure }) => measure.startsWith(`${block}.`)),
  );
  if (endpoint.tool === getFinancialReport.tool && both) {
    const adds = hasTool('compare_turnover') ? ': compare_turnover by: "tax_rate" adds them' : '';
    notes['VAT of a rate'] = `is direct_paid and not_paid_now together${adds}`;
  }
  if (isUnbalancedOverDays && hasTool('turnover_trend'))
    notes.balance_check =
      'of each day is shown by turnover_trend with measures ["balance_check.difference"]';
  return notes;
}
