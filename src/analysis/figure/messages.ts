import { messagesOf } from '../../core/message.ts';
import { countNoun, quote } from '../../core/text.ts';

export const figureMessages = messagesOf({
  not_drawn: ({ rows, axis }: { rows: number; axis: string }) =>
    `Not drawn: ${countNoun(rows, 'row')} without ${axis}.`,
});

/** A column of numbers with its unit, where that is known. */
interface MeasuredColumn {
  name: string;
  unit?: string | undefined;
}

/** `column`: the column in which the rows differ, if known. */
type RepeatedLabel = Record<'axis' | 'label', string> & { split?: string; column?: string };

type SeriesCount = Record<'max' | 'measures', number> & {
  split?: { name: string; values: number } | undefined;
};

const unknown = 'no known unit';

/** Texts in place of a figure. */
export const figureRefusals = {
  noRows: () =>
    'There is nothing to draw: no rows. Ask for a wider period, or leave out a condition.',
  noNumbers: ({ columns }: { columns: readonly { name: string; type: string }[] }) => {
    const listed = columns.map(({ name, type }) => `${quote(name)} (${quote(type)})`).join(', ');
    return `There is nothing to draw: after the first column, which is the axis, no column holds numbers. The columns are ${listed}. Select the days or names first and the numbers after them, such as SELECT name, sum(amount).`;
  },
  labelTwice: ({ axis, label, split, column }: RepeatedLabel) => {
    const within = split === undefined ? '' : ` with the same ${quote(split)}`;
    const rows = `${quote(axis)} "${quote(label)}" is in more than one row${within}`;
    if (column === 'measure')
      return `${rows}: they differ in measure. Give one, such as measures := ['turnover_wt'].`;
    const choice = column === undefined ? 'a column in which they differ' : quote(column);
    const reason = column === undefined ? '' : `: they differ in ${choice}`;
    return `${rows}${reason}. Keep one of them by a condition on ${choice}, or select it as the second column.`;
  },
  tooManySeries: ({ max, measures, split }: SeriesCount) => {
    const values = split ? `${split.values} values of ${quote(split.name)} and ` : '';
    return `A figure shows at most ${max} series, and here are ${values}${countNoun(measures, 'column')} of numbers. Select fewer of them, or add up the small ones as one.`;
  },
  tooManyLabels: ({ axis, labels, max }: { axis: string; labels: number; max: number }) =>
    `${quote(axis)} has ${labels} different values, and a figure shows at most ${max}. Keep the largest ones (ORDER BY ... DESC LIMIT 20), or group days by week or month.`,
  sharesOrPercentages: ({ column }: { column: string }) =>
    `${quote(column)} lies between 0 and 1 in every row. If these are shares, select 100 times the column; if percentages, give no unit.`,
  twoUnits: ({ first, other }: Record<'first' | 'other', MeasuredColumn>) => {
    const orGive = first.unit && other.unit ? '' : ', or give the unit that both have';
    return `${quote(first.name)} is in ${first.unit ?? unknown} and ${quote(other.name)} in ${other.unit ?? unknown}, which one scale cannot show. Draw each in a figure of its own${orGive}.`;
  },
  /** One answer cannot hold its numbers. */
  tooLarge: ({ labels, series }: { labels: number; series: number }) =>
    `Not drawn: ${labels} labels of ${series} series are more numbers than one answer holds. Draw fewer series, or group by week or month.`,
};
