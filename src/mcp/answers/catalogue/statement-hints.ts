/** What a statement that was answered is warned of: what is likely to mislead in it. */
import { countNoun, listFirst, quoteText } from '../../../core/text.ts';
import type { Texts } from './reader.ts';
import { wordOrQuoted } from './statements.ts';

export const statementHints = {
  // Rows that are there, or not
  no_values: ({ table, argument }) =>
    `${argument} of ${table} got no value (NULL, an empty list or no row of its subquery), so nothing was asked and the table has no rows. To ask without it leave it out.`,
  unseen_columns: ({ table, columns }) =>
    `${table} gave no rows: whether it has ${listFirst(columns.map(wordOrQuoted), 6)} is not known.`,
  periods_overlap: ({ table, earlier, later, from }) =>
    `${table}: the periods ${earlier} and ${later} share days (from ${from} on): rows of these are there twice. Give periods that do not overlap, or GROUP BY period.`,
  rows_of_totals: 'empty in rows of totals',
  rows_unread: ({ table, count, rows }) => {
    const named = rows.map(({ line, day, column, wants }) => {
      const fault = column ? `no ${nounOf[wants]} in ${wordOrQuoted(column)}` : nounOf[wants];
      return `line ${line}${day ? ` (${day})` : ''}: ${fault}`;
    });
    const more = count > rows.length ? ` and ${count - rows.length} more` : '';
    return `${countNoun(count, 'row')} of ${table} cannot be read and ${count === 1 ? 'is' : 'are'} left out (${named.join('; ')}${more}).`;
  },
  rows_left_out: ({ table, condition, argument, rows }) =>
    `${condition} holds in none of the ${sayFigure(rows)} rows of ${table}: the platform leaves such rows out unless asked. Ask with ${table}(..., ${argument} := true).`,
  unknown_value: ({ table, column, missing, values, isMore }) =>
    `No row of ${table} has ${column} ${missing.map(quoteText).join(' or ')}. The values there are${isMore ? ', the nearest first' : ''}: ${values.join(', ')}.`,
  null_in_list: ({ column = 'the value', values, nulls }) =>
    `NOT IN is true of no row, for ${sayFigure(nulls)} of the ${sayFigure(values)} values of ${column} in its subquery are NULL. Add WHERE ${column} IS NOT NULL there.`,

  // Days
  bare_day: ({ column, sign, texts, day, rows }) => {
    const condition = `${sign} ${texts.map(quoteText).join(' AND ')}`;
    const effect = sign === '>' ? 'keeps' : 'leaves out';
    return `${column} ${condition} ${effect} ${sayFigure(rows)} rows of ${day} itself, for a bare day is its midnight. By whole days: CAST(${column} AS DATE) ${condition}.`;
  },
  other_days: ({ table, column, cut, zone, unit, rows }) =>
    `${cut} cuts days by ${zone}, not Amsterdam: ${sayFigure(rows)} rows of ${table} fall on another day. Write date_trunc('${unit}', ${column}).`,

  // Ids
  other_ids: ({ left, right }) =>
    `${left.column} = ${right.column} holds ids of two kinds against each other: the first is ${left.ids}, the second ${right.ids}. Equal numbers there mean nothing; join each with its own.`,
  other_name: ({ table, column, alias, ids, others }) =>
    `${table}.${column} AS ${alias} gives ids that are ${ids} a name that says ${others}. Keep the name ${column}.`,

  // Figures
  repeated_facts: ({ sum, measure, paths, path, value }) => {
    const what = sum ? `${sum}(value) takes` : 'LIMIT 1 picks among';
    const figure = value === undefined ? '' : ` (${sayFigure(value)})`;
    return `${what} ${measure} under ${paths.length} paths (${paths.join(', ')}), which repeat the same money. One path holds it once: add AND path = '${path}'${figure}.`;
  },
  part_of_facts: ({ part, rest, whole }) =>
    `measure = '${part.measure}' is of ${part.path} alone here (${sayFigure(part.value)}), which is a part: with ${rest.path} (${sayFigure(rest.value)}) it makes up ${whole.measure} of ${whole.path} (${sayFigure(whole.value)}). For the whole write path = '${whole.path}' AND measure = '${whole.measure}'.`,
  totals_as_turnover: ({ table, column }) =>
    `${column} of ${table} are order totals and no turnover: they hold gift cards, tips and prepayments, and internal orders as said of ${table}. Turnover is revenue.total_turnover${column.endsWith('_wt') ? '_wt' : ''}: compare_turnover(period := ..., by := 'shop', against := 'none'), turnover_trend.`,
  summed_percentages: ({ column, table, facts }) => {
    const which = facts === undefined ? '' : `: ${sayFigure(facts)} facts of ${table}`;
    return `sum(${column}) adds up percentages, each of a whole of its own${which}. Give them row by row, or divide the sums of the amounts.`;
  },
} satisfies Partial<Texts>;

const nounOf: Readonly<Record<string, string>> = {
  day: 'day',
  flag: 'yes or no',
  number: 'number',
  dutchNumber: 'number',
  value: 'value',
  cells: 'another number of cells than there are columns',
  quotes: 'a quote too many, or one that does not close',
};

function sayFigure(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
