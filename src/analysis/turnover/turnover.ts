import { CommerceError, InputError } from '../../core/errors.ts';
import type { Period } from '../../core/periods.ts';
import { getFinancialReport } from '../../endpoints/reports.ts';
import type { AnswerContext, Call, ResolvedName } from '../answer.ts';
import { askEndpoint, type EndpointAnswer } from '../endpoint/ask-endpoint.ts';
import { type ReferenceEntry, spaceOfKind } from '../reference/reference.ts';
import { resolveReference } from '../reference/resolve.ts';
import type { Services } from '../services.ts';
import type { FactSplit } from './fact-splits.ts';
import { type Fact, factsBy, readFacts } from './facts.ts';
import { chooseMeasures } from './measures.ts';
import {
  asksForOrders,
  countOrders,
  countsOrders,
  defineOrderMeasures,
  groupOrders,
  type OrderGroup,
  orderFigures,
} from './order-counts.ts';

/** One figure of the financial report, with the id and name of what it is of. */
export interface TurnoverFigure extends Pick<Fact, 'measure' | 'value'> {
  /** Null for what belongs to none, such as turnover without a group. */
  id?: number | null;
  name?: string;
}

/** The figures of one period, and what to know about them. */
export interface Turnover {
  figures: readonly TurnoverFigure[];
  warnings: readonly string[];
  context: AnswerContext;
  /** Requests that the platform answered. */
  calls: number;
}

/** A financial report to read: its days, and one location where it is about one. */
export interface TurnoverRequest {
  period: Period;
  by: FactSplit;
  /** An id. */
  location: number | undefined;
  /** The visible locations, for `by: location`: one report each. */
  locations: readonly ReferenceEntry[];
  /** Whose orders to count beside it. */
  orders: readonly OrderGroup[];
}

/** Figures over some days, split as asked: of the financial report, and the orders that were counted. */
export async function readTurnover(
  services: Services,
  request: TurnoverRequest,
  call: Call,
): Promise<Turnover> {
  const [report, counts] = await Promise.all([
    readReports(services, request, call),
    Promise.all(request.orders.map((group) => countOrders(services, group, request.period, call))),
  ]);
  const { figures } = report;
  const counted = request.orders.flatMap((group, index): TurnoverFigure[] => {
    const { count } = counts[index] ?? {};
    const own = figures.filter(({ id }) => id === group.id);
    return count === undefined ? [] : orderFigures(group, count, own);
  });
  return {
    ...report,
    figures: [...figures, ...counted],
    calls: counts.reduce((sum, { calls }) => sum + calls, report.calls),
  };
}

/** One report, or one a location. */
async function readReports(
  services: Services,
  { period, by, location, locations }: TurnoverRequest,
  call: Call,
): Promise<Turnover> {
  if (by === 'location') {
    const reports = await Promise.all(
      locations.map((entry) => readLocation(services, period, entry, call)),
    );
    return {
      figures: reports.flatMap(({ figures }) => figures),
      warnings: reports.flatMap(({ warnings }) => warnings),
      context: contextOf(reports),
      calls: reports.reduce((sum, { calls }) => sum + calls, 0),
    };
  }
  const { idField } = by === 'total' ? { idField: '' } : spaceOfKind(by);
  const report = await readReport(services, period, location, { ...call, namedIds: [idField] });
  const { payload, context, dataWarnings, calls = 1 } = report;
  const names = await namesFor(services, by, call);
  const figures = factsBy(readFacts(payload), by).map(
    ({ measure, value, ids, name }): TurnoverFigure => {
      const text = ids[idField];
      if (text === undefined) return { measure, value };
      const id = text === null ? null : Number(text);
      const called = id === null ? undefined : (names.get(id) ?? name);
      return { measure, value, id, ...(called !== undefined && { name: called }) };
    },
  );
  return { figures, warnings: dataWarnings, context, calls };
}

/** What the arguments say of whose figures are read. */
export interface TurnoverScope
  extends Pick<TurnoverRequest, 'by' | 'location' | 'locations' | 'orders'> {
  resolved: Record<string, ResolvedName>;
}

/** The locations to ask one by one, the one location asked for, and whose orders to count. */
export async function resolveScope(
  services: Services,
  tool: string,
  input: {
    by?: FactSplit | undefined;
    location_id?: string | undefined;
    measures?: readonly string[] | undefined;
  },
  call: Call,
): Promise<TurnoverScope> {
  const { by = 'total', location_id: given } = input;
  const { signal } = call;
  const space = spaceOfKind('location');
  const { id, resolved } =
    given === undefined
      ? { id: undefined, resolved: undefined }
      : await resolveReference(services.reference, tool, space, given, signal);
  const locations =
    by === 'location'
      ? (await services.reference.entries('location', signal)).filter(
          (entry) => id === undefined || entry.id === id,
        )
      : [];
  if (by === 'location' && locations.length === 0)
    throw new InputError(
      `${tool}: there is no such location that this key may see.`,
      'location_id',
    );
  const isCounting = asksForOrders(input.measures) && countsOrders(services, by);
  return {
    by,
    location: id,
    locations,
    orders: isCounting ? await groupOrders(services, by, id, call) : [],
    resolved: resolved === undefined ? {} : { [space.idField]: resolved },
  };
}

/** The measures that an answer holds, those that there are beside them, and what those of ours are. */
export interface ShownMeasures {
  isChosen(measure: string): boolean;
  context: Pick<AnswerContext, 'more' | 'definitions'>;
}

/** @throws InputError when `measures` names one that there is not */
export function showMeasures(
  services: Services,
  tool: string,
  { by, orders }: TurnoverScope,
  wanted: readonly string[] | undefined,
  figures: readonly TurnoverFigure[],
): ShownMeasures {
  const names = figures.map(({ measure }) => measure);
  const ours = countsOrders(services, by) ? defineOrderMeasures(names) : {};
  const { isChosen, others } = chooseMeasures([...Object.keys(ours), ...names], wanted, {
    tool,
    by,
  });
  const definitions = Object.entries(ours).filter(([name]) => orders.length > 0 && isChosen(name));
  return {
    isChosen,
    context: {
      ...(others.length > 0 && { more: { measures: others } }),
      ...(definitions.length > 0 && { definitions: Object.fromEntries(definitions) }),
    },
  };
}

async function readLocation(
  services: Services,
  period: Period,
  { id, name }: ReferenceEntry,
  call: Call,
): Promise<Turnover> {
  const report = await readReport(services, period, id, call);
  const { payload, context, dataWarnings, calls = 1 } = report;
  return {
    figures: factsBy(readFacts(payload), 'total').map(({ measure, value }) => ({
      measure,
      value,
      id,
      name,
    })),
    warnings: dataWarnings.map((warning) => `${name}: ${warning}`),
    context,
    calls,
  };
}

/** The financial report of one location, or of all that the key may see. */
function readReport(
  services: Services,
  period: Period,
  location: number | undefined,
  call: Call,
): Promise<EndpointAnswer> {
  const input = location === undefined ? {} : { location_id: String(location) };
  return askEndpoint(services, getFinancialReport, input, call, period);
}

/** The oldest of several readings speaks for all of them. */
function contextOf(reports: readonly Turnover[]): AnswerContext {
  const [oldest] = reports
    .map(({ context }) => context)
    .sort((a, b) => a.as_of.localeCompare(b.as_of));
  if (oldest === undefined) throw new TypeError('no reports to speak for');
  return oldest;
}

/** The account's own names come before those in the report; without them the report's must do. */
async function namesFor(
  services: Services,
  by: Exclude<FactSplit, 'location'>,
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
