/** Warnings about what is likely to mislead in a statement that was answered. */
import { messagesOf } from '../../../core/message.ts';
import { listFirst, quoteText } from '../../../core/text.ts';

declare module '../../../core/message.ts' {
  interface Rooms {
    hints: typeof hintMessages;
  }
}

interface BareDay {
  column: string;
  sign: string;
  texts: readonly string[];
  day: string;
  rows: number;
}

interface NoFacts {
  table: string;
  paths: readonly { path: string; measures: readonly string[] }[];
  /** So many paths are not named. */
  more: number;
}

interface OtherDays {
  table: string;
  column: string;
  /** As the statement has it: `time_bucket('1 day', ...)`. */
  cut: string;
  zone: string;
  unit: string;
  rows: number;
}

interface RepeatedFacts {
  /** The aggregate; without it, a LIMIT picks one of the paths. */
  sum?: string | undefined;
  measure: string;
  paths: readonly string[];
  /** The path that holds it once, and what it holds where that is the whole answer. */
  path: string;
  value?: number | undefined;
}

interface MixedMeasures {
  /** The function that makes one figure of them. */
  sum: string;
  column: string;
  table: string;
  measures: readonly string[];
}

/** A figure of a report. */
export interface Fact {
  path: string;
  measure: string;
  value: number;
}

export const hintMessages = messagesOf({
  // Rows that are there, or not
  rows_left_out: (it: { table: string; condition: string; argument: string; rows: number }) =>
    `${it.condition} holds in none of the ${sayFigure(it.rows)} rows of ${it.table}: the platform leaves such rows out unless asked. Ask with ${it.table}(..., ${it.argument} := true).`,
  /** Conditions that no fact of a report meets; the paths that there are, the nearest first. */
  no_facts: ({ table, paths, more }: NoFacts) => {
    const named = paths.map(({ path, measures }) => {
      return `${path === '' ? quoteText(path) : path} {${listFirst(measures, 12)}}`;
    });
    return `No fact of ${table} meets these conditions. There are, by path: ${named.join(', ')}${more > 0 ? ` and ${more} more paths` : ''}.`;
  },
  /** `NOT IN` over values of which some are NULL is true of no row. */
  null_in_list: (it: { column?: string | undefined; values: number; nulls: number }) => {
    const { column, values, nulls } = it;
    const of = column === undefined ? '' : ` of ${column}`;
    const where = column === undefined ? 'Leave these out' : `Add WHERE ${column} IS NOT NULL`;
    return `NOT IN is true of no row, for ${sayFigure(nulls)} of the ${sayFigure(values)} values${of} in its subquery are NULL. ${where} there.`;
  },

  // Days
  /** A moment is compared with the midnight of a day whose other `rows` are meant too. */
  bare_day: ({ column, sign, texts, day, rows }: BareDay) => {
    const condition = `${sign} ${texts.map(quoteText).join(' AND ')}`;
    const effect = sign === '>' ? 'keeps' : 'leaves out';
    return `${column} ${condition} ${effect} ${sayFigure(rows)} rows of ${day} itself, for a bare day is its midnight. By whole days: CAST(${column} AS DATE) ${condition}.`;
  },
  /** Days or larger pieces are cut elsewhere than at Amsterdam's midnight. */
  other_days: ({ table, column, cut, zone, unit, rows }: OtherDays) =>
    `${cut} cuts days by ${zone}, not Amsterdam: ${sayFigure(rows)} rows of ${table} fall on another day. Write date_trunc('${unit}', ${column}).`,

  // Ids
  other_ids: ({ left, right }: Record<'left' | 'right', { column: string; ids: string }>) =>
    `${left.column} = ${right.column} holds ids of two kinds against each other: the first is ${left.ids}, the second ${right.ids}. Equal numbers there mean nothing; join each with its own.`,

  // Figures
  /** A measure is added up over paths that repeat the same money. */
  repeated_facts: ({ sum, measure, paths, path, value }: RepeatedFacts) => {
    const what = sum ? `${sum}(value) takes` : 'LIMIT 1 picks among';
    const figure = value === undefined ? '' : ` (${sayFigure(value)})`;
    return `${what} ${measure} under ${paths.length} paths (${paths.join(', ')}), which repeat the same money. One path holds it once: add AND path = '${path}'${figure}.`;
  },
  /** A measure of one section is a part, which another one completes. */
  part_of_facts: ({ part, rest, whole }: Record<'part' | 'rest' | 'whole', Fact>) =>
    `measure = '${part.measure}' is of ${part.path} alone here (${sayFigure(part.value)}), which is a part: with ${rest.path} (${sayFigure(rest.value)}) it makes up ${whole.measure} of ${whole.path} (${sayFigure(whole.value)}). For the whole write path = '${whole.path}' AND measure = '${whole.measure}'.`,
  mixed_measures: ({ sum, column, table, measures }: MixedMeasures) => {
    const one = measures.find((name) => name.endsWith('turnover_wt')) ?? measures[0] ?? '';
    return `${sum}(${column}) takes ${measures.length} measures of ${table} together (${listFirst(measures, 4)}), which hold the same money more than once. Give one: WHERE measure = ${quoteText(one)}.`;
  },
  /** `facts` where the column is that of a report's values. */
  summed_percentages: ({
    column,
    table,
    facts,
  }: {
    column: string;
    table: string;
    facts?: number;
  }) => {
    const which = facts === undefined ? '' : `: ${sayFigure(facts)} facts of ${table}`;
    return `sum(${column}) adds up percentages, each of a whole of its own${which}. Give them row by row, or divide the sums of the amounts.`;
  },
});

function sayFigure(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
