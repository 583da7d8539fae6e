import type { ToolDefinition } from './define-tool.ts';
import { exportRows } from './export-rows.ts';
import { findReference } from './find-reference.ts';
import { query } from './query.ts';
import { readRows } from './read-rows.ts';
import { showFigure } from './show-figure.ts';
import { compareTurnover, turnoverTrend } from './turnover/turnover.ts';

/** The analyses, in the fixed order in which they are listed after the endpoints' tools. */
export const analysisTools: readonly ToolDefinition[] = [
  findReference,
  compareTurnover,
  turnoverTrend,
  query,
  showFigure,
  readRows,
  exportRows,
];
