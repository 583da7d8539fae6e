import type { Labels } from '../../analysis/reference/reference.ts';
import type { ColumnProfile } from '../../analysis/rows/column-profile.ts';
import { isNumeric } from '../../core/money.ts';
import { neutralise } from '../../core/text.ts';
import { figureWriter } from './table.ts';

/** The profile of each column in a line of its own: `total_wt: sum 1234.50, min 2.5, max 310`. */
export function describeColumns(columns: readonly ColumnProfile[], labels: Labels = {}): string[] {
  return columns.map((profile) => {
    const { name } = profile;
    const names = labels[name.slice(name.lastIndexOf('.') + 1)] ?? {};
    return `${neutralise(name)}: ${describeColumn(profile, names)}`;
  });
}

function describeColumn(profile: ColumnProfile, names: Record<string, string>): string {
  const { name, type, values = {}, distinct, empty } = profile;
  const figures = [profile.sum, profile.min, profile.max];
  const write = figureWriter(name, figures);
  const [sum, min, max] = figures.map((it) => (write && isNumeric(it) ? write(it) : it));
  const parts = [
    ...(sum === undefined ? [] : [`sum ${sum}`]),
    ...(min === undefined ? [] : [`min ${min}`]),
    ...(max === undefined ? [] : [`max ${max}`]),
    ...Object.entries(values).map(([value, count]) => {
      const called = Object.hasOwn(names, value) ? ` ${names[value]}` : '';
      return `${neutralise(`${value}${called}`)} ×${count}`;
    }),
    ...(distinct === undefined ? [] : [`${distinct} different`]),
    ...(empty === undefined ? [] : [`${empty} empty`]),
  ];
  return parts.length > 0 ? parts.join(', ') : type;
}
