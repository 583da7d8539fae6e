import { InputError } from '../../core/errors.ts';
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

/**
 * Reads `sort`, `top`, `limit`, `start` and `all`: a first of sorted rows is one of all rows, not of a page.
 * @throws {InputError} for a `start` that would leave rows out of what is sorted or profiled; only with
 *   `all` does it mean that, to go on where a bound stopped a reading
 */
export function readForm({ sort, top, limit, start, all }: JsonObject): RowForm {
  const most = typeof top === 'number' ? top : limit;
  const whole = [
    ...(typeof sort === 'string' ? ['sort'] : []),
    ...(typeof top === 'number' ? ['top'] : []),
    ...(limit === 0 ? ['limit: 0'] : []),
  ];
  if (whole.length > 0 && all !== true && Number(start ?? 0) > 0) {
    throw new InputError(
      `start does not go with ${whole.join(' and ')}, which look${whole.length === 1 ? 's' : ''} at the whole list. Leave start out: all rows are kept in that order, and read_rows with start goes on in them.`,
      'start',
    );
  }
  return {
    sort: typeof sort === 'string' ? sort : undefined,
    showAtMost: typeof most === 'number' ? most : undefined,
    isWhole: all === true || whole.length > 0,
  };
}
