/** What an answer says of the tables that its statement read. */
import { amsterdamIso } from '../../core/calendar.ts';
import type { JsonObject } from '../../core/json.ts';
import { distinctWarnings, type Warning } from '../../core/message.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import type { StatementShape } from '../../query/provider.ts';
import { hasRest, type TableUse } from '../answer.ts';
import { inexactWarnings } from '../rows/rows.ts';
import type { TableRead } from './table-reads.ts';

declare module '../../core/message.ts' {
  interface Messages {
    /** Periods of one list share days: their rows are there twice. */
    periods_overlap: { table: string; earlier: string; later: string; from: string };
  }
}

/** A table that a statement read. */
export interface TableReport {
  use: TableUse;
  warnings: readonly Warning[];
  /** Why it was not read to its end: by a bound, or because a LIMIT shows no more. */
  cutBy?: 'bound' | 'limit' | undefined;
}

/** Calls that are reported together. */
export type ReportedReads = readonly [TableRead, ...TableRead[]];

/** What is reported together: calls of a table that differ from row to row; each other call of the statement alone. */
export function reportKey({ call: { table, key, args, correlatedArguments } }: TableRead): string {
  const differs = correlatedArguments.some((name) => name in args && !Array.isArray(args[name]));
  return differs ? table : key;
}

export function reportOf(reads: ReportedReads, shape: StatementShape, nowMs: number): TableReport {
  const [{ call }] = reads;
  const use = tableUseOf(reads, nowMs);
  const cut = call.atMost === undefined ? 'bound' : 'limit';
  return { use, warnings: warningsOf(reads, shape), cutBy: use.complete ? undefined : cut };
}

function tableUseOf(reads: ReportedReads, nowMs: number): TableUse {
  const [{ tool, call }] = reads;
  const contexts = reads.flatMap(({ answer }) => answer?.context ?? []);
  const period = spanOf(contexts.flatMap((it) => it.period ?? []));
  const reference = spanOf(contexts.flatMap((it) => it.reference_period ?? []));
  const calls = reads.reduce((sum, { requestCount }) => sum + requestCount, 0);
  const leftOpen = contexts.length === 1 ? contexts[0]?.left_open : undefined;
  const empty = contexts[0]?.empty_days;
  const kept = reads.filter(({ keptSinceMs }) => keptSinceMs !== undefined);
  const since = amsterdamIso(kept[0]?.keptSinceMs ?? nowMs);
  return {
    ...{ table: call.table, tool: tool.tool, arguments: inShort(reads) },
    ...(period && { period }),
    ...(reference && { reference_period: reference }),
    ...{ rows: countRows(reads), calls },
    as_of: contexts.map(({ as_of }) => as_of).sort()[0] ?? amsterdamIso(nowMs),
    ...(calls === 0 && contexts.length > 0 && { cached: true }),
    complete: reads.every(({ answer }) => !hasRest(answer)),
    left_open: leftOpen,
    empty_days: contexts.length === 1 ? empty : undefined,
    ...(kept.length > 0 && {
      kept: { orders: kept.length, of: reads.length, rows: countRows(kept), since },
    }),
  };
}

function countRows(reads: readonly TableRead[]): number {
  return reads.reduce((sum, { rows }) => sum + rows.length, 0);
}

/** Arguments as a reader can take them in: of many values, how many there are. */
function inShort(reads: ReportedReads): JsonObject {
  const names = new Set(reads.flatMap(({ input }) => Object.keys(input)));
  const entries = [...names].map((name) => {
    const values = [...new Set(reads.map(({ input }) => input[name]))];
    if (values.length === 1) return [name, values[0]];
    return [name, values.length > 12 ? `${values.length} values` : values];
  });
  return Object.fromEntries(entries);
}

function spanOf(periods: readonly Period[]): Period | undefined {
  const [first] = periods;
  if (first === undefined || periods.every(({ given }) => given === first.given)) return first;
  const days = periods.flatMap((it) => [it.from, it.to]).sort();
  const [from = first.from, to = first.to] = [days[0], days.at(-1)];
  return { ...first, from, to, given: `${from}..${to}` };
}

/** What to know of a table's rows: of payments where they may be shown, of shared days where periods are not kept apart. */
function warningsOf(reads: ReportedReads, shape: StatementShape): Warning[] {
  const [{ tool, call }] = reads;
  const showsPayments = mayShowPayments(shape);
  const found = reads.flatMap(({ answer, maxRows, call: { atMost = Infinity } }) => {
    const isConcern = ({ code }: Warning) => {
      // Where a LIMIT needs no more rows, that there are more is no warning.
      if (code === 'row_limit') return atMost > maxRows;
      return showsPayments || code !== 'balance_differs';
    };
    return (answer?.context.warnings ?? []).filter(isConcern);
  });
  const unknown = reads.filter(({ answer, keptSinceMs }) => !answer && !keptSinceMs).length;
  if (unknown > 0)
    found.push({ code: 'unknown_id', tool: tool.tool, unknown, values: reads.length });
  found.push(
    ...inexactWarnings(
      reads.flatMap(({ rows }) => rows),
      tool.tool,
    ),
  );
  const overlap = shape.groupedBy.has('period') ? [] : overlapOf(call.table, reads);
  return distinctWarnings([...found, ...overlap]);
}

/** Whether a statement may show payments: it names them, or does not choose among the facts of reports. */
function mayShowPayments({ tables, mentioned, comparedWith }: StatementShape): boolean {
  if (!mentioned.has('path') && !mentioned.has('measure')) return true;
  const facts = ['path', 'measure', 'split'].flatMap((column) => comparedWith.get(column) ?? []);
  return [...tables, ...mentioned, ...facts].some((name) =>
    /payment|direct_paid|balance/i.test(name),
  );
}

function overlapOf(table: string, reads: ReportedReads): Warning[] {
  const periods = reads
    .filter(({ call }) => Array.isArray(call.args.period))
    .flatMap(({ answer }) => answer?.context.period ?? [])
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const shared = periods.flatMap((later, at): Warning[] => {
    const earlier = periods[at - 1];
    if (!earlier || later.from > earlier.to || sayDays(later) === sayDays(earlier)) return [];
    const { given, from } = later;
    return [{ code: 'periods_overlap', table, earlier: earlier.given, later: given, from }];
  });
  return shared.slice(0, 1);
}
