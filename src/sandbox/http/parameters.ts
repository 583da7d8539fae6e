/**
 * Schemas of parameters. An unreadable value is refused, never guessed (docs/platform.md#errors). A message follows
 * the value that was given.
 */
import { z } from 'zod';
import { readTimestamp } from '../../core/calendar.ts';
import { parseJson } from '../../core/json.ts';
import { STATUSES } from '../world/trade/order.ts';
import { badParameter } from './problem.ts';

function wholeNumber(minimum: number, maximum?: number) {
  const bounds = maximum === undefined ? `from ${minimum} up` : `from ${minimum} to ${maximum}`;
  const error = `is not a whole number ${bounds}.`;
  const number = z.int({ error }).min(minimum, { error });
  return z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text),
    maximum === undefined ? number : number.max(maximum, { error }),
  );
}

export function id(description: string) {
  return wholeNumber(1).optional().describe(description);
}

export function limit(defaultRows: number, maximum: number) {
  return wholeNumber(1, maximum).default(defaultRows).describe('Rows on a page.');
}

/** Offset paging with the bounds of one endpoint (docs/platform.md#page-sizes). */
export function paging(defaultRows: number, maximum: number) {
  const start = wholeNumber(0).default(0).describe('Rows to skip.');
  return { start, limit: limit(defaultRows, maximum) };
}

/** An empty text counts as absent. */
export function freeText(description: string) {
  return z.string().trim().optional().describe(description);
}

/** `1`, `0`, `true` or `false`. */
export function flag(description: string) {
  const error = 'is not a boolean: give 1 or 0.';
  return z
    .stringbool({ truthy: ['1', 'true'], falsy: ['0', 'false'], case: 'sensitive', error })
    .optional()
    .describe(description);
}

export function day(description: string) {
  const error = ({ input }: { input?: unknown }) =>
    input === undefined ? 'as YYYY-MM-DD.' : 'is not a day: write YYYY-MM-DD.';
  return z.iso.date({ error }).describe(description);
}

export const period = z
  .object({
    from: day('First day.'),
    to: day('Last day, included; `from` when omitted.').optional(),
  })
  .refine(({ from, to }) => to === undefined || from <= to, {
    path: ['to'],
    error: 'lies before from.',
  });

function listOf(entry: string, error: string) {
  return z.string().regex(new RegExp(`^ *(${entry}) *(, *(${entry}) *)*$`), { error });
}

export const statuses = listOf(STATUSES.join('|'), 'is not a list of statuses.')
  .optional()
  .describe(`Comma-separated statuses (${STATUSES.join(', ')}); all when omitted.`);

/** Inner product ids, separated by commas; every entry must be one (docs/platform.md#prices). */
export const productIds = listOf('[1-9]\\d{0,14}', 'is not a list of whole numbers from 1 up.')
  .optional()
  .describe('Comma-separated inner product ids (not shop_product_id).');

/** ISO 639-1, lower case. */
export const languageCode = z
  .string()
  .regex(/^[a-z]{2}$/, { error: 'is not an ISO 639-1 code in lower case, such as nl.' })
  .default('nl')
  .describe('Language of titles, ISO 639-1 lower case.');

/** ISO 3166-1 alpha-2, upper case. */
export const countryCode = z
  .string()
  .regex(/^[A-Z]{2}$/, { error: 'is not a country code of two capitals, such as NL.' })
  .optional()
  .describe('Rates of one country, ISO 3166-1 alpha-2; all countries when omitted.');

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

export const feedStart = {
  since: z
    .string()
    .refine((text) => ISO_TIME.test(text) && readTimestamp(text), {
      error: 'is neither an ISO 8601 time nor YYYY-MM-DD.',
    })
    .optional()
    .describe('Changes from this time on: ISO 8601, or YYYY-MM-DD read as Amsterdam midnight.'),
  cursor: freeText('`next_cursor` of an earlier answer.'),
};

/**
 * The first cursor of a page: the given one, or that of a moment.
 * @throws ProblemError 400 unless exactly one is given, or for a text that is no cursor of this feed
 */
export function readCursor<Cursor>(
  { since, cursor = '' }: { since?: string | undefined; cursor?: string | undefined },
  form: z.ZodType<Cursor>,
  cursorAt: (ms: number) => Cursor,
): Cursor {
  if ((since === undefined) === (cursor === '')) {
    throw badParameter('since', 'give exactly one of since and cursor.');
  }
  if (since !== undefined) return cursorAt(readTimestamp(since)?.ms ?? 0);
  const read = form.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (read.success) return read.data;
  throw badParameter('cursor', 'is malformed: send next_cursor of an earlier answer unchanged.');
}
