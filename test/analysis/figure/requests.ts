/** Requests for figures, written as tables. */
import { expect } from 'vitest';
import { decideFigure, type FigureRequest } from '../../../src/analysis/figure/decide-figure.ts';
import type { Figure, FigureNotes } from '../../../src/analysis/figure/figure.ts';

export const notes: FigureNotes = { source: 'live', complete: true, warnings: [] };

/** A request written as a table: the columns with their types, then rows of values. */
function asTable(
  columns: Record<string, string>,
  rows: readonly (readonly unknown[])[],
  rest: Partial<FigureRequest> = {},
): FigureRequest {
  const names = Object.keys(columns);
  return {
    columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
    rows: rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]]))),
    notes,
    ...rest,
  };
}

/** What is decided of a request written as a table. */
export function ask(...request: Parameters<typeof asTable>) {
  return decideFigure(asTable(...request));
}

/** The figure of a request that has one. */
export function figureOf(request: FigureRequest): Figure {
  const decision = decideFigure(request);
  return 'figure' in decision ? decision.figure : expect.unreachable(decision.refusal);
}

/** The figure of a request written as a table. */
export function drawn(...request: Parameters<typeof asTable>) {
  return figureOf(asTable(...request));
}

/** Why a request has no figure. */
export function refused(...request: Parameters<typeof ask>) {
  const decision = ask(...request);
  return 'refusal' in decision ? decision.refusal : expect.unreachable('it was drawn');
}

export const byDay = { day: 'DATE', turnover: 'DECIMAL(18,2)' };
export const byShop = { shop: 'VARCHAR', turnover: 'DECIMAL(18,2)' };
