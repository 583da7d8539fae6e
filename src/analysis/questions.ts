import { compareTurnover } from './compare-turnover.ts';
import { findReference } from './find-reference.ts';
import type { Question } from './question.ts';
import { readRows } from './read-rows.ts';
import { summarizeKeptRows } from './summarize-rows.ts';
import { turnoverTrend } from './turnover-trend.ts';

/** Our own questions, in the fixed order in which they are listed after the endpoints' tools. */
export const questions: readonly Question[] = [
  findReference,
  compareTurnover,
  turnoverTrend,
  summarizeKeptRows,
  readRows,
];
