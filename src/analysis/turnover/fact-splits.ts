import type { ReferenceKind } from '../reference/reference.ts';

/** The ways to look at a report: as a whole, or by one kind of reference id. */
export const factSplits = [
  'total',
  'shop',
  'location',
  'turnover_group',
  'payment_method',
  'tax_rate',
] as const satisfies readonly ('total' | ReferenceKind)[];

export type FactSplit = (typeof factSplits)[number];
