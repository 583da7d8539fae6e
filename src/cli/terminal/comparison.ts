import type { Row } from '../../analysis/rows/rows.ts';
import { fieldOf, isOfParts } from '../../core/column-name.ts';
import { groupBy } from '../../core/group-by.ts';
import { textIn } from '../../core/json.ts';
import { percent, plain, sum } from '../../core/money.ts';

/** What a row of a split comparison holds; one that holds more is shown as it is. */
const known = ['measure', 'id', 'name', 'current', 'reference', 'difference', 'percent'];

/**
 * A split comparison as a person reads it: a table for each measure with one row for each shop (or whatever it is
 * split by) and their total. A measure without VAT stands in the table of the one that includes it.
 *
 * @returns undefined for rows of another form
 */
export function comparisonTables(rows: readonly Row[]): Row[][] | undefined {
  const isSplit = (row: Row) => 'name' in row && Object.keys(row).every((it) => known.includes(it));
  if (rows.length === 0 || !rows.every(isSplit)) return undefined;
  const byMeasure = groupBy(rows, ({ measure }) => textIn(measure));
  return [...byMeasure].flatMap(([measure, figures]) => {
    if (byMeasure.has(`${measure}_wt`)) return [];
    const bare = measure.replace(/_wt$/, '');
    const others = bare === measure ? [] : (byMeasure.get(bare) ?? []);
    const table = figures.map(({ measure: _, id, name, current, ...compared }) => {
      const other = others.find((it) => it.id === id && it.name === name);
      const without = other && { [fieldOf(bare)]: other.current };
      return { id, name, ...without, [fieldOf(measure)]: current, ...compared };
    });
    return [[...table, ...totalOf(table, measure)]];
  });
}

/** Averages and percentages add up to nothing, and of one row its total is known. */
function totalOf(table: readonly Row[], measure: string): Row[] {
  if (table.length < 2 || isOfParts(measure)) return [];
  const { id: _, name: __, percent: share, ...figures } = table[0] ?? {};
  const sums = Object.keys(figures).map((key) => [key, sum(table.map((row) => row[key]))] as const);
  const total = Object.fromEntries(sums.map(([key, value]) => [key, plain(value)]));
  const { [fieldOf(measure)]: current, reference } = Object.fromEntries(sums);
  const change = share !== undefined && current && reference ? percent(current, reference) : null;
  return [{ id: null, name: 'Total', ...total, ...(change && { percent: plain(change) }) }];
}
