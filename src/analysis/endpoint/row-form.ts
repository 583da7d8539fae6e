import type { JsonObject } from '../../core/json.ts';

/** What the arguments say of the form of an answer of rows. */
export interface RowForm {
  /** Columns to sort by, as given. */
  sort: string | undefined;
  /** Most rows to show; the others are kept. */
  showAtMost: number | undefined;
  /** Whether only the whole list can be put into this form. */
  isWhole: boolean;
}

/** Reads `sort`, `top`, `limit` and `all`: a first of sorted rows is one of all rows, not of a page. */
export function readForm({ sort, top, limit, all }: JsonObject): RowForm {
  const most = typeof top === 'number' ? top : limit;
  return {
    sort: typeof sort === 'string' ? sort : undefined,
    showAtMost: typeof most === 'number' ? most : undefined,
    isWhole: all === true || typeof sort === 'string' || typeof top === 'number' || limit === 0,
  };
}
