/** Why a result is no figure, and what to change: sentences that a model can act on. */
import { quote } from '../../core/text.ts';
import type { ResultColumn } from './column-roles.ts';
import type { AxisType } from './figure.ts';
import { maxLabels, maxSeries } from './figure.ts';
import type { FlatColumn } from './flat-column.ts';

export function noRows(): string {
  return 'There is nothing to draw: no rows. Ask for a wider period, or leave out a condition.';
}

export function noNumbers(columns: readonly ResultColumn[]): string {
  const listed = columns.map(({ name, type }) => `${quote(name)} (${quote(type)})`).join(', ');
  return `There is nothing to draw: after the first column, which is the axis, no column holds numbers. The columns are ${listed}. Select the days or names first and the numbers after them, such as SELECT name, sum(amount).`;
}

export function allEmpty(measures: readonly string[]): string {
  const [name = ''] = measures;
  return measures.length === 1
    ? `There is nothing to draw: ${quote(name)} is empty in every row.`
    : `There is nothing to draw: ${measures.map((one) => quote(one)).join(', ')} are empty in every row.`;
}

export function twice(axisName: string, label: string, splitName: string | undefined): string {
  const place = splitName === undefined ? '' : ` with the same ${quote(splitName)}`;
  const remedy =
    splitName === undefined
      ? 'or select a second column that parts them, such as the shop'
      : 'or leave out the columns that part them further';
  return `${quote(axisName)} "${quote(label)}" stands in more than one row${place}, and nothing here adds rows up by itself. Add them up in the statement (GROUP BY), ${remedy}.`;
}

export function tooManyLabels(
  count: number,
  { name, type }: { name: string; type: AxisType },
): string {
  const remedy =
    type === 'name'
      ? 'Keep the largest ones (ORDER BY ... DESC LIMIT 20), or group them.'
      : 'Group by week or month, or ask for a shorter period.';
  return `${quote(name)} has ${count} different values, and a figure shows at most ${maxLabels}. ${remedy}`;
}

export function tooManySeries(
  groups: number,
  measures: readonly string[],
  splitName: string | undefined,
): string {
  const what =
    splitName === undefined
      ? `${measures.length} columns of numbers`
      : `${groups} values of ${quote(splitName)}${measures.length > 1 ? ` with ${measures.length} columns of numbers each` : ''}`;
  return `A figure tells at most ${maxSeries} series apart, and here are ${what}. Select fewer of them, or add the small ones up as one.`;
}

export function flat({ small, large, smallSize, largeSize }: FlatColumn): string {
  return `${quote(small)} (up to ${smallSize}) cannot be seen beside ${quote(large)} (up to ${largeSize}) on one scale: draw each in a figure of its own. If all columns are of one unit, say so with unit and they are drawn as they are.`;
}
