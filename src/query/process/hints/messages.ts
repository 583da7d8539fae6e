import { messagesOf } from '../../../core/message.ts';
import { listFirst, quoteText } from '../../../core/text.ts';

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
  /** How many paths are not named. */
  more: number;
}

interface OtherDays {
  table: string;
  column: string;
  /** The statement's expression: `time_bucket('1 day', ...)`. */
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
  /** The path that holds the money once. `value`: its figure, if the statement asks for nothing else. */
  path: string;
  value?: number | undefined;
}

interface RowsLeftOut {
  table: string;
  condition: string;
  argument: string;
  rows: number;
}

interface NullInList {
  column?: string | undefined;
  values: number;
  nulls: number;
}

interface SummedPercentages {
  column: string;
  table: string;
  /** How many facts of a report are added up. */
  facts?: number;
}

interface MixedMeasures {
  /** The name of the aggregate. */
  sum: string;
  column: string;
  table: string;
  measures: readonly string[];
}

export interface ReportFigure {
  path: string;
  measure: string;
  value: number;
}

export const hintMessages = messagesOf({
  // Rows
  rows_left_out: ({ table, condition, argument, rows }: RowsLeftOut) =>
    `${condition} holds in none of the ${sayFigure(rows)} rows of ${table}: the platform leaves such rows out unless asked. Ask with ${table}(..., ${argument} := true).`,
  /** `paths`: the nearest first. */
  no_facts: ({ table, paths, more }: NoFacts) => {
    const named = paths.map(({ path, measures }) => {
      return `${path === '' ? quoteText(path) : path} {${listFirst(measures, 12)}}`;
    });
    return `No fact of ${table} meets these conditions. There are, by path: ${named.join(', ')}${more > 0 ? ` and ${more} more paths` : ''}.`;
  },
  null_in_list: ({ column, values, nulls }: NullInList) => {
    const owner = column === undefined ? '' : ` of ${column}`;
    const advice = column === undefined ? 'Leave these out' : `Add WHERE ${column} IS NOT NULL`;
    return `NOT IN holds for no row, because ${sayFigure(nulls)} of the ${sayFigure(values)} values${owner} in its subquery are NULL. ${advice} there.`;
  },

  // Days
  /** `rows`: the number of rows of that day later than midnight. */
  bare_day: ({ column, sign, texts, day, rows }: BareDay) => {
    const condition = `${sign} ${texts.map(quoteText).join(' AND ')}`;
    const effect = sign === '>' ? 'keeps' : 'leaves out';
    return `${column} ${condition} ${effect} ${sayFigure(rows)} rows of ${day} itself, because a bare day means its midnight. Compare whole days: CAST(${column} AS DATE) ${condition}.`;
  },
  other_days: ({ table, column, cut, zone, unit, rows }: OtherDays) =>
    `${cut} cuts days by ${zone}, not Amsterdam: ${sayFigure(rows)} rows of ${table} fall on another day. Write date_trunc('${unit}', ${column}).`,

  // Ids
  other_ids: ({ left, right }: Record<'left' | 'right', { column: string; ids: string }>) =>
    `${left.column} = ${right.column} compares ids of two kinds: the first are ${left.ids}, the second ${right.ids}. Equal numbers there mean nothing; join each with its own list.`,

  // Figures
  repeated_facts: ({ sum, measure, paths, path, value }: RepeatedFacts) => {
    const choice = sum ? `${sum}(value) takes` : 'LIMIT 1 picks among';
    const figure = value === undefined ? '' : ` (${sayFigure(value)})`;
    return `${choice} ${measure} under ${paths.length} paths (${paths.join(', ')}), which repeat the same money. One path holds it once: add AND path = '${path}'${figure}.`;
  },
  part_of_facts: ({ part, rest, whole }: Record<'part' | 'rest' | 'whole', ReportFigure>) =>
    `measure = '${part.measure}' occurs only under ${part.path} here (${sayFigure(part.value)}), which is a part: with ${rest.path} (${sayFigure(rest.value)}) it makes up ${whole.measure} of ${whole.path} (${sayFigure(whole.value)}). For the whole write path = '${whole.path}' AND measure = '${whole.measure}'.`,
  mixed_measures: ({ sum, column, table, measures }: MixedMeasures) => {
    const single = measures.find((name) => name.endsWith('turnover_wt')) ?? measures[0] ?? '';
    return `${sum}(${column}) takes ${measures.length} measures of ${table} together (${listFirst(measures, 4)}), which hold the same money more than once. Give one: WHERE measure = ${quoteText(single)}.`;
  },
  summed_percentages: ({ column, table, facts }: SummedPercentages) => {
    const count = facts === undefined ? '' : `: ${sayFigure(facts)} facts of ${table}`;
    return `sum(${column}) adds up percentages of different amounts${count}. Give them row by row, or divide the sums of the amounts.`;
  },
});

function sayFigure(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
