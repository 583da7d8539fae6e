/** What compare_turnover and turnover_trend share: figures over spans of days, each with an optional reference. */
import { z } from 'zod';
import { CommerceError, InputError } from '../../core/errors.ts';
import { type Decimal, difference, percent, plain } from '../../core/money.ts';
import { type Period, periodWarnings } from '../../core/periods.ts';
import { locationRef, range } from '../../endpoints/parameters.ts';
import { getFinancialReport } from '../../endpoints/reports.ts';
import type { Answer, AnswerContext, Call } from '../answer.ts';
import { askEndpoint } from '../endpoint/ask-endpoint.ts';
import { type ReferenceEntry, spaceOfKind } from '../reference/reference.ts';
import { resolveReference } from '../reference/resolve.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { type FactSplit, factsBy, readFacts, type TurnoverFigure } from './facts.ts';
import {
  addParts,
  chooseMeasures,
  definePoints,
  defineRates,
  isPercentage,
  measures,
} from './measures.ts';
import {
  asksForOrders,
  countOrders,
  countsOrders,
  defineOrderMeasures,
  groupOrders,
  type OrderGroup,
  orderFigures,
} from './order-counts.ts';
import { comparisons } from './reference-period.ts';

/** The arguments that both tools take. */
export const turnoverInput = { ...range, measures, location_id: locationRef.optional() };

/** The ways to choose a reference, or none. */
export const against = z.enum([...comparisons, 'none']).optional();

/** Days to read figures of, and the days to compare them with. */
export interface Span {
  period: Period;
  reference?: Period | undefined;
}

/** The figures of a {@link Span}. */
export interface SpanFigures {
  current: readonly TurnoverFigure[];
  reference?: readonly TurnoverFigure[] | undefined;
}

interface Question {
  tool: string;
  by?: FactSplit | undefined;
  location_id?: string | undefined;
  measures?: readonly string[] | undefined;
}

/** The figures of each span, in the order of the spans, and what an answer says of them. */
export interface Turnover {
  spans: readonly SpanFigures[];
  /** An answer with rows of these figures. */
  answer(period: Period, rows: readonly Row[], said?: Said): Omit<Answer, 'asked'>;
}

/** What a tool adds to an answer about turnover. */
interface Said {
  context?: Partial<AnswerContext> | undefined;
  /** Warnings about the days, before those of the reports. */
  ofDays?: readonly string[] | undefined;
  /** Warnings about the rows, after those of the reports. */
  ofRows?: readonly string[] | undefined;
}

/** How a figure changed; a percentage changes in points, and by no percent. */
export function changeOf(
  measure: string,
  current: Decimal | null | undefined,
  reference: Decimal | null | undefined,
) {
  if (!current || !reference) return { difference: null, percent: null };
  const share = isPercentage(measure) ? null : percent(current, reference);
  return {
    difference: plain(difference(current, reference)),
    percent: share && plain(share),
  };
}

/** How many requests spans cost at least: a report each, and the orders where they are counted. */
export function countReports(spans: readonly Span[], wanted?: readonly string[]) {
  const reports = spans.reduce((sum, { reference }) => sum + (reference ? 2 : 1), 0);
  return reports * (asksForOrders(wanted) ? 2 : 1);
}

/** Reads the figures of all spans. */
export async function readTurnover(
  services: Services,
  question: Question,
  spans: readonly Span[],
  call: Call,
): Promise<Turnover> {
  const { tool, measures: wanted } = question;
  const scope = await resolveScope(services, question, call);
  const total = countReports(spans);
  let done = 0;
  const read = async (period: Period): Promise<Reading> => {
    const reading = await readDays(services, scope, period, call);
    done += 1;
    call.onProgress?.({ done, total, message: `read ${done} of ${total} reports` });
    return reading;
  };
  const found = await Promise.all(
    spans.map(async ({ period, reference }) => {
      const [current, other] = await Promise.all([read(period), reference && read(reference)]);
      return { current, other };
    }),
  );
  const readings = found.flatMap(({ current, other }) => (other ? [current, other] : [current]));
  const names = new Set(readings.flatMap(({ figures }) => figures.map(({ measure }) => measure)));
  const orders = countsOrders(services, scope.by) ? defineOrderMeasures([...names]) : {};
  const { by } = scope;
  const choice = chooseMeasures([...Object.keys(orders), ...names], wanted, { tool, by });
  const { isChosen, others } = choice;
  const definitions = Object.entries({
    ...(scope.orders.length > 0 && orders),
    ...defineRates([...names]),
    ...(found.some(({ other }) => other) && definePoints([...names])),
  }).filter(([name]) => isChosen(name));
  const chosen = ({ figures }: Reading) => figures.filter(({ measure }) => isChosen(measure));
  const { warnings: _, period: __, ...oldest } = oldestOf(readings);
  return {
    spans: found.map(({ current, other }) => ({
      current: chosen(current),
      reference: other && chosen(other),
    })),
    answer: (period, rows, { context, ofDays = [], ofRows = [] } = {}) => ({
      payload: { count: rows.length, total: rows.length },
      rows,
      context: {
        ...oldest,
        period,
        ...context,
        ...(Object.keys(scope.resolved).length > 0 && { resolved: scope.resolved }),
        ...(others.length > 0 && { more: { measures: others } }),
        ...(definitions.length > 0 && { definitions: Object.fromEntries(definitions) }),
        warnings: [
          ...new Set([
            ...periodWarnings(period, call.nowMs),
            ...ofDays,
            ...readings.flatMap(({ warnings }) => warnings),
            ...choice.warnings.map((warning) => `${tool}: ${warning}`),
            ...ofRows,
            ...(rows.length === 0 ? [`The report carries no figures by ${scope.by}.`] : []),
          ]),
        ],
      },
      calls: readings.reduce((sum, { calls }) => sum + calls, 0),
    }),
  };
}

interface Scope {
  by: FactSplit;
  /** The id of the one location asked for. */
  location: number | undefined;
  /** With `by: location`, those to ask one by one. */
  locations: readonly ReferenceEntry[];
  /** Whose orders are counted. */
  orders: readonly OrderGroup[];
  resolved: NonNullable<AnswerContext['resolved']>;
}

async function resolveScope(
  services: Services,
  { tool, by = 'total', location_id: given, measures: wanted }: Question,
  call: Call,
): Promise<Scope> {
  const { reference } = services;
  const space = spaceOfKind('location');
  const found =
    given === undefined
      ? undefined
      : await resolveReference(reference, tool, space, given, call.signal);
  const id = found?.id;
  const locations =
    by === 'location'
      ? (await reference.entries('location', call.signal)).filter(
          (entry) => id === undefined || entry.id === id,
        )
      : [];
  if (by === 'location' && locations.length === 0)
    throw new InputError(
      `${tool}: there is no such location that this key may see.`,
      'location_id',
    );
  const isCounting = asksForOrders(wanted) && countsOrders(services, by);
  return {
    by,
    location: id,
    locations,
    orders: isCounting ? await groupOrders(services, by, id, call) : [],
    resolved: found?.resolved ? { [space.idField]: found.resolved } : {},
  };
}

/** The figures of some days. */
interface Reading {
  figures: readonly TurnoverFigure[];
  warnings: readonly string[];
  context: AnswerContext;
  /** Requests that the platform answered. */
  calls: number;
}

/** The figures of the financial report (of one report for each location) and of the orders. */
async function readDays(
  services: Services,
  scope: Scope,
  period: Period,
  call: Call,
): Promise<Reading> {
  const { by, orders, locations } = scope;
  const places = by === 'location' ? locations : [undefined];
  const [reports, counts] = await Promise.all([
    Promise.all(places.map((place) => readReport(services, scope, period, place, call))),
    Promise.all(orders.map((group) => countOrders(services, group, period, call))),
  ]);
  const figures = reports.flatMap((report) => report.figures);
  const counted = orders.flatMap((group, index): TurnoverFigure[] => {
    const { count } = counts[index] ?? {};
    const own = figures.filter(({ id }) => id === group.id);
    return count === undefined ? [] : orderFigures(group, count, own);
  });
  return {
    figures: [...figures, ...counted],
    warnings: reports.flatMap(({ warnings }) => warnings),
    context: oldestOf(reports),
    calls: [...reports, ...counts].reduce((sum, { calls }) => sum + calls, 0),
  };
}

/** The financial report of one place, of the location asked for, or of all that the key may see. */
async function readReport(
  services: Services,
  { by, location }: Scope,
  period: Period,
  place: ReferenceEntry | undefined,
  call: Call,
): Promise<Reading> {
  const id = place?.id ?? location;
  const input = id === undefined ? {} : { location_id: String(id) };
  const [{ payload, context, dataWarnings, calls = 1 }, names] = await Promise.all([
    askEndpoint(services, getFinancialReport, input, call, period),
    place ? undefined : namesFor(services, by, call),
  ]);
  const figures = factsBy(readFacts(payload), place ? 'total' : by).map(
    ({ measure, value, ids, name }): TurnoverFigure => {
      if (place) return { measure, value, id: place.id, name: place.name };
      const [text] = Object.values(ids);
      if (text === undefined) return { measure, value };
      if (text === null) return { measure, value, id: null };
      const called = names?.get(Number(text)) ?? name;
      return { measure, value, id: Number(text), ...(called !== undefined && { name: called }) };
    },
  );
  const both = by === 'tax_rate' ? addParts(figures) : [];
  const warnings = place
    ? dataWarnings.map((warning) => `${place.name}: ${warning}`)
    : dataWarnings;
  return { figures: [...both, ...figures], warnings, context, calls };
}

/** The account's own names come before those in the report, which serve where the list is out of reach. */
async function namesFor(
  services: Services,
  by: FactSplit,
  { signal }: Call,
): Promise<Map<number, string>> {
  if (by === 'total') return new Map();
  try {
    const entries = await services.reference.entries(by, signal);
    return new Map(entries.map(({ id, name }) => [id, name]));
  } catch (error) {
    if (!(error instanceof CommerceError) || error.code === 'cancelled') throw error;
    return new Map();
  }
}

/** An answer is as old as the oldest of its readings. */
function oldestOf(readings: readonly { context: AnswerContext }[]): AnswerContext {
  return readings.map(({ context }) => context).reduce((a, b) => (a.as_of <= b.as_of ? a : b));
}
