/** What is said of figures: why there is none and what to change, and what is not as it was asked for. */
import { countNoun, quote } from '../../../core/text.ts';
import type { Texts } from './reader.ts';

export const figureTexts = {
  not_drawn: ({ rows, axis }) => `Not drawn: ${countNoun(rows, 'row')} without ${axis}.`,
  other_unit: ({ columns, unit, requested }) =>
    `The numbers of ${columns.map((it) => quote(it)).join(', ')} are ${nameUnit(unit)}, not ${nameUnit(requested)}.`,
  statement_or_result: ({ given }) =>
    `takes one of sql and result_id; ${given} came. sql is a SELECT whose first column is the axis and whose numbers are drawn.`,
  nothing_to_draw: () =>
    'There is nothing to draw: no rows. Ask for a wider period, or leave out a condition.',
  no_numbers_to_draw: ({ columns }) => {
    const listed = columns.map(({ name, type }) => `${quote(name)} (${quote(type)})`).join(', ');
    return `There is nothing to draw: after the first column, which is the axis, no column holds numbers. The columns are ${listed}. Select the days or names first and the numbers after them, such as SELECT name, sum(amount).`;
  },
  label_twice: ({ axis, label, split }) => {
    const within = split === undefined ? '' : ` with the same ${quote(split)}`;
    return `${quote(axis)} "${quote(label)}" is in more than one row${within}, and nothing here adds rows up by itself. Add them up in the statement (GROUP BY), or select a second column that parts them, such as the shop.`;
  },
  too_many_series: ({ most, measures, split }) => {
    const values = split ? `${split.values} values of ${quote(split.name)} and ` : '';
    return `A figure tells at most ${most} series apart, and here are ${values}${countNoun(measures, 'column')} of numbers. Select fewer of them, or add the small ones up as one.`;
  },
  too_many_labels: ({ axis, labels, most }) =>
    `${quote(axis)} has ${labels} different values, and a figure shows at most ${most}. Keep the largest ones (ORDER BY ... DESC LIMIT 20), or group days by week or month.`,
  shares_or_percentages: ({ column }) =>
    `${quote(column)} lies between 0 and 1 in every row. Select 100 times it where these are shares, or give no unit where they are percentages.`,
  two_units: ({ first, other }) => {
    const orGive = first.unit && other.unit ? '' : ', or give unit where both are of one';
    return `${quote(first.name)} holds ${nameUnit(first.unit)} and ${quote(other.name)} ${nameUnit(other.unit)}, which one scale cannot show. Draw each in a figure of its own${orGive}.`;
  },
  figure_too_large: ({ labels, series }) =>
    `Not drawn: ${labels} labels of ${series} series are more numbers than one answer holds. Draw fewer series, or group by week or month.`,
} satisfies Partial<Texts>;

const plurals = new Map([
  ['euro', 'euros'],
  ['percent', 'percentages'],
  ['count', 'counts'],
]);

function nameUnit(unit = 'numbers of no known unit'): string {
  return plurals.get(unit) ?? unit;
}
