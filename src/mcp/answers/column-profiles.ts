import type { Labels } from '../../analysis/reference/labels.ts';
import type { ColumnProfile } from '../../analysis/rows/column-profile.ts';
import { isNumeric } from '../../core/money.ts';
import { asData, neutralise } from '../../core/text.ts';
import { figureWriter } from './figures.ts';

/**
 * The columns whose profile is worth its words: those that the caller named, or else all but
 * addresses, hashes and flags that say the same in every row.
 */
export function tellingColumns(
  columns: readonly ColumnProfile[],
  fields: readonly string[],
): readonly ColumnProfile[] {
  if (fields.length > 0)
    return columns.filter(({ name }) =>
      fields.some((field) => name === field || name.startsWith(`${field}.`)),
    );
  return columns.filter(({ name, type, values = {}, empty }) => {
    const isConstantFlag = type === 'boolean' && Object.keys(values).length === 1 && !empty;
    return !isConstantFlag && !/(^|[._])(url|uri|link|href|hash|checksum|uuid)$/i.test(name);
  });
}

/** The profile of each column in a line of its own: `total_wt: sum 1234.50, min 2.5, max 310`. */
export function describeColumns(columns: readonly ColumnProfile[], labels: Labels = {}): string[] {
  return columns.map((profile) => {
    const { name } = profile;
    const names = labels[name.slice(name.lastIndexOf('.') + 1)] ?? {};
    return asData(`${neutralise(name)}: ${describeColumn(profile, names)}`);
  });
}

function describeColumn(profile: ColumnProfile, names: Record<string, string>): string {
  const { name, type, values, distinct, empty } = profile;
  const write = figureWriter(name, [profile.sum, profile.min, profile.max]);
  const [sum, min, max] = [profile.sum, profile.min, profile.max].map((figure) =>
    write && isNumeric(figure) ? write(figure) : figure,
  );
  const parts = [
    ...(sum === undefined ? [] : [`sum ${sum}`]),
    ...(min === undefined ? [] : [`min ${min}`]),
    ...(max === undefined ? [] : [`max ${max}`]),
    ...Object.entries(values ?? {}).map(([value, count]) => {
      const name = Object.hasOwn(names, value) ? ` ${names[value]}` : '';
      return `${neutralise(`${value}${name}`)} ×${count}`;
    }),
    ...(distinct === undefined ? [] : [`${distinct} different`]),
    ...(empty === undefined ? [] : [`${empty} empty`]),
  ];
  return parts.length > 0 ? parts.join(', ') : type;
}
