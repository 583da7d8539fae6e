import { CommerceError, InputError } from '../../core/errors.ts';
import type { Period } from '../../core/periods.ts';
import { getFinancialReport } from '../../endpoints/reports.ts';
import type { AnswerContext, Call, ResolvedName } from '../answer.ts';
import { askEndpoint, type EndpointAnswer } from '../endpoint/ask-endpoint.ts';
import { type ReferenceEntry, spaceOfKind } from '../reference/reference.ts';
import { resolveReference } from '../reference/resolve.ts';
import type { Services } from '../services.ts';
import { type Fact, type FactSplit, factsBy, readFacts } from './facts.ts';

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
}

/** Figures of the financial report over some days, split as asked; one report, or one a location. */
export async function readTurnover(
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

/** The locations to ask one by one, and the one location asked for, from the arguments. */
export async function resolveScope(
  services: Services,
  tool: string,
  by: FactSplit,
  locationId: string | undefined,
  { signal }: Call,
): Promise<{
  location: number | undefined;
  locations: readonly ReferenceEntry[];
  resolved: Record<string, ResolvedName>;
}> {
  const space = spaceOfKind('location');
  const { id, resolved } =
    locationId === undefined
      ? { id: undefined, resolved: undefined }
      : await resolveReference(services.reference, tool, space, locationId, signal);
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
  return {
    location: id,
    locations,
    resolved: resolved === undefined ? {} : { [space.idField]: resolved },
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
