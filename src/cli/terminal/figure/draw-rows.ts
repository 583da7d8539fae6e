import { decideFigure } from '../../../analysis/figure/decide-figure.ts';
import type { Labels } from '../../../analysis/reference/labels.ts';
import { isIdentifier } from '../../../analysis/rows/column-profile.ts';
import type { Row } from '../../../analysis/rows/rows.ts';
import { drawFigure, type FigureView } from './view-figure.ts';

/** One bar says nothing, and more than a screen of them is for show_figure. */
const fewestRows = 2;
const mostRows = 40;

/**
 * What show_figure would draw of rows that are printed anyway; nothing where their shape is none, or where a
 * drawing says nothing that the rows do not.
 */
export function drawRows(rows: readonly Row[], labels: Labels, view: FigureView): string[] {
  if (rows.length < fewestRows || rows.length > mostRows) return [];
  // An id is no amount, unless it stands for a name.
  const columns = Object.keys(rows[0] ?? {})
    .filter((name) => !isIdentifier(name) || Object.hasOwn(labels, name))
    .map((name) => ({ name, type: isNumber(name, rows) ? 'DOUBLE' : 'VARCHAR' }));
  const decided = decideFigure({
    columns,
    rows,
    labels,
    // In the order of the table above it.
    isOrdered: true,
    notes: { source: 'live', complete: true, warnings: [] },
  });
  return 'figure' in decided ? drawFigure(decided.figure, view) : [];
}

function isNumber(name: string, rows: readonly Row[]): boolean {
  const values = rows.map((row) => row[name]).filter((value) => value != null);
  return values.length > 0 && values.every((value) => typeof value === 'number');
}
