import type { JsonValue } from '../../core/json.ts';
import { QueryError } from '../errors.ts';
import type { Scalar } from '../provider.ts';
import type { Question } from './plan.ts';

/** What the engine answered to a question. */
export interface QuestionAnswer {
  columns: readonly unknown[];
  rows: readonly (readonly JsonValue[])[];
  more: boolean;
}

/** The values of an argument. @throws {QueryError} when they are more than one column, or no plain values */
export function valuesOf(
  question: Question,
  { columns, rows, more }: QuestionAnswer,
): (Scalar | Scalar[])[] {
  const place = `${question.table}: ${question.argument}`;
  if (columns.length !== 1) {
    throw new QueryError(
      'bad_argument',
      `${place} takes one column; its subquery gives ${columns.length}.`,
    );
  }
  if (more) {
    throw new QueryError(
      'bad_argument',
      `${place} has more than ${rows.length} values. Narrow its subquery.`,
    );
  }
  return rows.map(([value = null]) => {
    if (Array.isArray(value)) return value.map((item) => scalar(item, place));
    return scalar(value, place);
  });
}

function scalar(value: JsonValue, place: string): Scalar {
  if (typeof value !== 'object' || value === null) return value;
  throw new QueryError(
    'bad_argument',
    `${place} takes plain values, not objects or lists of lists.`,
  );
}
