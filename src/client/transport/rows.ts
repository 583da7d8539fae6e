import { PlatformError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';

/** The rows of a list, which stands in an envelope or by itself; undefined where there is none. */
export function rowsOf(body: unknown): readonly unknown[] | undefined {
  const rows = isRecord(body) ? body.data : body;
  return Array.isArray(rows) ? rows : undefined;
}

/** The error for an answer without a list where one has to be. */
export function noList(endpoint: string, attempts = 1): PlatformError {
  return new PlatformError(
    'malformed_answer',
    `${endpoint} answered without a list of rows in "data".`,
    { endpoint, status: 200, attempts },
  );
}
