import type { Row } from '../../analysis/rows/rows.ts';
import { fieldOf, isOfParts } from '../../core/column-name.ts';
import { groupBy } from '../../core/group-by.ts';
import { toText } from '../../core/json.ts';
import { isNumeric, percent, plain, sum, toDecimal } from '../../core/money.ts';

/** What a row of a split comparison holds; one that holds more is shown as it is. */
const known = ['measure', 'id', 'name', 'current', 'reference', 'difference', 'percent'];

/**
 * A split comparison as a person reads it: a table for each measure with one row for each shop (or whatever it is
 * split by) and their total. A measure without VAT stands in the table of the one that includes it. Where parts
 * of a report have a figure of the same name, the column of names is called after the part.
 *
 * @returns undefined for rows of another form
 */
export function comparisonTables(rows: readonly Row[]): Row[][] | undefined {
  const isSplit = (row: Row) => 'name' in row && Object.keys(row).every((it) => known.includes(it));
  if (rows.length === 0 || !rows.every(isSplit)) return undefined;
  const byMeasure = groupBy(rows, ({ measure }) => toText(measure));
  const measures = [...byMeasure.keys()];
  return [...byMeasure].flatMap(([measure, figures]) => {
    if (byMeasure.has(`${measure}_wt`)) return [];
    const bare = measure.replace(/_wt$/, '');
    const others = bare === measure ? [] : (byMeasure.get(bare) ?? []);
    const isShared = measures.some((it) => it !== measure && fieldOf(it) === fieldOf(measure));
    const names = (isShared && partOf(measure)) || 'name';
    const table = figures.map(({ measure: _, id, name, current, ...compared }) => {
      const other = others.find((it) => it.id === id && it.name === name);
      const without = other && { [fieldOf(bare)]: other.current };
      const sides = Object.entries(compared).map(([key, it]) => [sideOf(key, measure), it]);
      return {
        id,
        [names]: name,
        ...without,
        [fieldOf(measure)]: current,
        ...Object.fromEntries(sides),
      };
    });
    return [[...table, ...totalOf(table, names, measure)]];
  });
}

/** A column of a comparison says of which side of VAT it is, as its measure does: `reference_wt`. */
function sideOf(column: string, measure: string): string {
  const [side = ''] = /_(wt|ex)$/.exec(measure) ?? [];
  return column === 'percent' ? column : column + side;
}

function partOf(measure: string): string {
  return measure.slice(0, -fieldOf(measure).length - 1);
}

/**
 * Averages and percentages add up to nothing, and of one row its total is known. A row that lacks a figure, such as a
 * shop without trade, adds nothing to its total.
 */
function totalOf(table: readonly Row[], names: string, measure: string): Row[] {
  if (table.length < 2 || isOfParts(measure)) return [];
  const { id: _, [names]: __, percent: share, ...figures } = table[0] ?? {};
  const columns = Object.keys(figures).map(
    (key) => [key, table.map((row) => row[key]).filter(isNumeric)] as const,
  );
  const total = Object.fromEntries(
    columns.map(([key, cells]) => [key, cells.length > 0 ? plain(sum(cells)) : null]),
  );
  const sides = [fieldOf(measure), sideOf('reference', measure)];
  const [current, reference] = sides.map((it) => toDecimal(total[it]));
  const change = share !== undefined && current && reference ? percent(current, reference) : null;
  return [{ id: null, [names]: 'Total', ...total, ...(change && { percent: plain(change) }) }];
}
