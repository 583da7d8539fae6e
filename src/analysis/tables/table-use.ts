/** What an answer says of a table that a statement read. */
import { amsterdamIso } from '../../core/calendar.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { countNoun } from '../../core/text.ts';
import { distinctWarnings, type Warning } from '../../core/warning.ts';
import type { TableUse } from '../answer.ts';
import { inexactColumns, sayInexact } from '../rows/rows.ts';
import type { Ask, Asks } from './asks.ts';

/** What became of the calls of a table. */
export function useOf(asks: Asks, nowMs: number): TableUse {
  const [{ tool, call }] = asks;
  const contexts = asks.flatMap(({ answer }) => answer?.context ?? []);
  const period = spanOf(contexts.flatMap((it) => it.period ?? []));
  const reference = spanOf(contexts.flatMap((it) => it.reference_period ?? []));
  const calls = asks.reduce((sum, { made }) => sum + made, 0);
  const leftOpen = contexts.length === 1 ? contexts[0]?.left_open : undefined;
  const empty = contexts[0]?.empty_days;
  const kept = asks.filter(({ keptSinceMs }) => keptSinceMs !== undefined);
  const since = amsterdamIso(kept[0]?.keptSinceMs ?? nowMs);
  return {
    ...{ table: call.table, tool: tool.tool, arguments: inShort(asks) },
    ...(period && { period }),
    ...(reference && { reference_period: reference }),
    ...{ rows: countRows(asks), calls },
    as_of: contexts.map(({ as_of }) => as_of).sort()[0] ?? amsterdamIso(nowMs),
    ...(calls === 0 && contexts.length > 0 && { cached: true }),
    complete: asks.every(({ answer }) => answer?.rest === undefined),
    ...(leftOpen && { left_open: leftOpen }),
    ...(contexts.length === 1 && empty && { empty_days: empty }),
    ...(kept.length > 0 && {
      kept: { orders: kept.length, of: asks.length, rows: countRows(kept), since },
    }),
  };
}

function countRows(asks: readonly Ask[]): number {
  return asks.reduce((sum, { rows }) => sum + rows.length, 0);
}

/** Arguments as a reader can take them in: of many values, how many there are. */
function inShort(asks: Asks): JsonObject {
  const names = new Set(asks.flatMap(({ input }) => Object.keys(input)));
  const said = [...names].map((name) => {
    const values = [...new Set(asks.map(({ input }) => input[name]))];
    if (values.length === 1) return [name, values[0]];
    return [name, values.length > 12 ? countNoun(values.length, 'value') : values];
  });
  return Object.fromEntries(said);
}

/** From the first to the last day of several periods. */
function spanOf(periods: readonly Period[]): Period | undefined {
  const [first] = periods;
  if (first === undefined || periods.every(({ given }) => given === first.given)) return first;
  const days = periods.flatMap((it) => [it.from, it.to]).sort();
  const [from = first.from, to = first.to] = [days[0], days.at(-1)];
  return { ...first, from, to, given: `${from}..${to}` };
}

/** What to know of a table's rows: of payments where they are shown, of shared days where periods are not kept apart. */
export function warningsOf(asks: Asks, shows: { payments: boolean; periods: boolean }): Warning[] {
  const [{ tool, call }] = asks;
  const said = asks.flatMap(({ answer, maxRows, call: { atMost = Infinity } }) => {
    const isConcern = ({ code }: Warning) => {
      // Where a LIMIT needs no more rows, that there are more is no warning.
      if (code === 'row_limit') return atMost > maxRows;
      return shows.payments || code !== 'balance_differs';
    };
    return (answer?.context.warnings ?? []).filter(isConcern);
  });
  const unknown = asks.filter(({ answer, keptSinceMs }) => !answer && !keptSinceMs).length;
  if (unknown > 0)
    said.push({
      code: 'unknown_id',
      text: `${tool.tool}: the platform does not know ${unknown} of the ${asks.length} values asked for; they have no rows.`,
    });
  const inexact = new Set(asks.flatMap(({ rows }) => rows.flatMap(inexactColumns)));
  said.push(...sayInexact([...inexact], `${tool.tool}: `));
  return distinctWarnings([...said, ...(shows.periods ? [] : sayOverlap(call.table, asks))]);
}

/** That rows are there twice, for periods of one list share days. */
function sayOverlap(table: string, asks: Asks): Warning[] {
  const periods = asks
    .filter(({ call }) => Array.isArray(call.args.period))
    .flatMap(({ answer }) => answer?.context.period ?? [])
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const shared = periods.flatMap((later, at): Warning[] => {
    const earlier = periods[at - 1];
    if (!earlier || later.from > earlier.to || sayDays(later) === sayDays(earlier)) return [];
    const text = `${table}: the periods ${earlier.given} and ${later.given} share days (from ${later.from} on): rows of these are there twice. Give periods that do not overlap, or GROUP BY period.`;
    return [{ code: 'periods_overlap', text }];
  });
  return shared.slice(0, 1);
}
