import { messagesOf } from '../../core/message.ts';
import { countNoun, listFirst, sayCount, sentences, wordOrQuoted } from '../../core/text.ts';
import { sayTableCall } from '../../query/messages.ts';
import type { ArgumentCall } from '../../query/provider.ts';

export interface StatementCosts {
  calls: number;
  maxCalls: number;
  tools: readonly { tool: string; calls: number }[];
  /** At the present budget; 0 seconds where it has room. Undefined where no budget was reported. */
  time: { remaining: number; limit: number; seconds: number } | undefined;
  /** How many orders' lines are on disk, if others are missing. */
  kept?: number | undefined;
}

interface ViewRefused {
  flaw: 'no_sql' | 'no_select' | 'no_value';
  line?: number | undefined;
  column?: number | undefined;
}

/** A row that was left out. Only its day is quoted. */
export interface UnreadRow {
  line: number;
  /** The kind of value that the column lacks, or the fault of the whole row. */
  wants: string;
  column?: string;
  day?: string;
}

interface UnreadRows {
  table: string;
  count: number;
  rows: readonly UnreadRow[];
}

/** `from` is the first day that both periods have. */
type OverlappingPeriods = Record<'table' | 'earlier' | 'later' | 'from', string>;

interface CutTables {
  why: 'table_cut';
  tables: readonly { table: string; rows: number }[];
}

export const tableMessages = messagesOf({
  // Statements
  /** `call` is an example, for a call without arguments that needs some. */
  table_failed: ({ reason, call }: { reason: string; call?: ArgumentCall | undefined }) =>
    sentences(reason, call && `In SQL arguments stand in brackets: ${sayTableCall(call)}.`),
  kept_rows_take_id: "result takes the id of kept rows: FROM result('r_...').",
  statement_costs_more: ({ calls, maxCalls, tools, time, kept }: StatementCosts) =>
    [
      `this statement takes up to ${countNoun(calls, 'platform call')}, and max_calls is ${sayCount(maxCalls)}: ${tools.map(({ tool, calls }) => `${tool} ${sayCount(calls)}`).join(', ')}.`,
      `${sayTime(time)} Only what was needed to count these calls was read, and that is kept.`,
      ...(kept === undefined
        ? []
        : [
            `The lines of ${countNoun(kept, 'order')} are kept and cost nothing; "commerce-mcp fill" reads the others ahead.`,
          ]),
      `Narrow it (a shorter period, one shop, fewer ids in the subquery), or give max_calls: ${calls}.`,
    ].join('\n'),
  too_many_looks: ({ looks, maxCalls }: { looks: number; maxCalls: number }) =>
    `tables asks ${countNoun(looks, 'tool')} for rows first, one or two requests each, and max_calls is ${sayCount(maxCalls)}. Name some (WHERE name IN ('list_orders', ...)), or give max_calls: ${looks}.`,
  calendar_too_long: ({ max }: { max: number }) => `calendar: a period has ${max} days at most.`,

  // Definitions of the business
  /** For callers, who may not see the file. */
  broken_table: ({ table }: { table: string }) =>
    `${table} is broken; the log and \`doctor\` say why.`,
  no_such_folder: ({ setting, folder }: { setting: string; folder: string }) =>
    `${setting}: there is no folder ${folder}.`,
  bad_table_name: 'Its name cannot name a table: use lower-case letters, digits and _.',
  name_taken: ({ name }: { name: string }) => `There is a table ${name} already.`,
  only_comments: 'It holds nothing but comments.',
  too_many_cells: ({ cells, columns }: { cells: number; columns: number }) =>
    `It has more than ${sayCount(cells)} cells or ${sayCount(columns)} columns, the most that a table may have.`,
  /** Replaces an error of the engine that would quote the view. */
  view_refused: ({ flaw, line, column }: ViewRefused) => {
    if (flaw === 'no_select') return 'It is not a SELECT.';
    if (flaw === 'no_value') return 'A value in it cannot be converted or computed.';
    const place = line === undefined ? '' : ` at line ${line}, column ${column}`;
    return `It is not SQL${place}.`;
  },
  definitions_wait:
    'The query engine is busy: no turn came in which to read the definitions. Try again.',

  // Warnings
  unknown_id: ({ tool, unknown, values }: { tool: string; unknown: number; values: number }) =>
    `${tool}: the platform does not know ${unknown} of the ${values} values asked for; they have no rows.`,
  not_whole: ({ tables }: CutTables) => {
    const named = tables.map(({ table, rows }) => `${table} (${countNoun(rows, 'row')} read)`);
    const [verb, pronoun] = tables.length === 1 ? ['is', 'it'] : ['are', 'them'];
    return `${listFirst(named, 6)} ${verb} not whole, because of a LIMIT inside the statement or a bound: sums and counts over ${pronoun} leave rows out.`;
  },
  periods_overlap: ({ table, earlier, later, from }: OverlappingPeriods) =>
    `${table}: the periods ${earlier} and ${later} share days (from ${from} on), whose rows count twice. Give periods that do not overlap, or GROUP BY period.`,
  /** `rows`: the first ones. */
  rows_unread: ({ table, count, rows }: UnreadRows) => {
    const named = rows.map(({ line, day, column, wants }) => {
      const fault = column ? `no ${nounOf[wants]} in ${wordOrQuoted(column)}` : nounOf[wants];
      return `line ${line}${day ? ` (${day})` : ''}: ${fault}`;
    });
    const more = count > named.length ? ` and ${count - named.length} more` : '';
    return `${countNoun(count, 'row')} of ${table} cannot be read and ${count === 1 ? 'is' : 'are'} left out (${named.join('; ')}${more}).`;
  },
});

function sayTime(time: StatementCosts['time']): string {
  if (time === undefined) return 'How long that takes is not known yet: no budget was reported.';
  const { remaining, limit, seconds } = time;
  if (seconds === 0) return 'The present rate budget has room for that.';
  const about = seconds < 90 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  return `At the present rate budget (${remaining} of ${limit} left) that takes about ${about}.`;
}

const nounOf: Readonly<Record<string, string>> = {
  day: 'day',
  flag: 'yes or no',
  number: 'number',
  value: 'value',
  cells: 'more or fewer cells than columns',
  quotes: 'a quote too many, or one that does not close',
};
