import { messagesOf } from '../../core/message.ts';
import { countNoun, quote } from '../../core/text.ts';

export const figureMessages = messagesOf({
  not_drawn: ({ rows, axis }: { rows: number; axis: string }) =>
    `Not drawn: ${countNoun(rows, 'row')} without ${axis}.`,
});

/** A column of numbers with its unit, where that is known. */
interface Measured {
  name: string;
  unit?: string | undefined;
}

const unknown = 'no known unit';

/** Texts in place of a figure. */
export const figureRefusals = {
  noRows: () =>
    'There is nothing to draw: no rows. Ask for a wider period, or leave out a condition.',
  noNumbers: ({ columns }: { columns: readonly { name: string; type: string }[] }) => {
    const listed = columns.map(({ name, type }) => `${quote(name)} (${quote(type)})`).join(', ');
    return `There is nothing to draw: after the first column, which is the axis, no column holds numbers. The columns are ${listed}. Select the days or names first and the numbers after them, such as SELECT name, sum(amount).`;
  },
  /** `column`: the column in which the rows differ, if known. */
  labelTwice: (it: { axis: string; label: string; split?: string; column?: string }) => {
    const within = it.split === undefined ? '' : ` with the same ${quote(it.split)}`;
    const rows = `${quote(it.axis)} "${quote(it.label)}" is in more than one row${within}`;
    if (it.column === 'measure')
      return `${rows}: they differ in measure. Give one, such as measures := ['turnover_wt'].`;
    const column = it.column === undefined ? 'a column in which they differ' : quote(it.column);
    const they = it.column === undefined ? '' : `: they differ in ${column}`;
    return `${rows}${they}. Keep one of them by a condition on ${column}, or select it as the second column.`;
  },
  tooManySeries: (it: {
    max: number;
    measures: number;
    split?: { name: string; values: number } | undefined;
  }) => {
    const values = it.split ? `${it.split.values} values of ${quote(it.split.name)} and ` : '';
    return `A figure tells at most ${it.max} series apart, and here are ${values}${countNoun(it.measures, 'column')} of numbers. Select fewer of them, or add the small ones up as one.`;
  },
  tooManyLabels: ({ axis, labels, max }: { axis: string; labels: number; max: number }) =>
    `${quote(axis)} has ${labels} different values, and a figure shows at most ${max}. Keep the largest ones (ORDER BY ... DESC LIMIT 20), or group days by week or month.`,
  sharesOrPercentages: ({ column }: { column: string }) =>
    `${quote(column)} lies between 0 and 1 in every row. Select 100 times it where these are shares, or give no unit where they are percentages.`,
  twoUnits: ({ first, other }: Record<'first' | 'other', Measured>) => {
    const orGive = first.unit && other.unit ? '' : ', or give unit where both are of one';
    return `${quote(first.name)} is in ${first.unit ?? unknown} and ${quote(other.name)} in ${other.unit ?? unknown}, which one scale cannot show. Draw each in a figure of its own${orGive}.`;
  },
  /** One answer cannot hold its numbers. */
  tooLarge: ({ labels, series }: { labels: number; series: number }) =>
    `Not drawn: ${labels} labels of ${series} series are more numbers than one answer holds. Draw fewer series, or group by week or month.`,
};
