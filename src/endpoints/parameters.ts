import { z } from 'zod';
import { outputOnly, paged, unsent } from './define.ts';

/** Longer names, words and columns are refused. */
export const maxText = 200;

export const words = z.string().max(maxText);

/** A comma list as the platform takes it: no spaces, nothing empty. */
export function compactList(list: string): string {
  const entries = list.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').join(',');
}

/** `from` and `to`, both inclusive Amsterdam days, or `period` instead (docs/platform.md#days). */
export const range = {
  period: words.optional().describe('yesterday, last_week, last_N_days, day..day').meta(unsent),
  from: words.optional().describe('YYYY-MM-DD'),
  to: words.optional().describe('Default: from'),
};

export const date = words.describe('YYYY-MM-DD, today or yesterday');

/** A reference is an id or a name; names become ids before anything is sent. */
export const shopRef = words.describe('Shop id or name, no location');
export const locationRef = words.describe('Location id or name, no shop');
export const groupRef = words.describe('Turnover group id or name');
export const segmentRef = words.describe('Customer segment id or name');

/** Sent as 1 or 0 (docs/platform.md#orders). */
export const flag = z.boolean();

export const id = z.int().min(1);

/**
 * Columns to return; dotted names reach nested fields.
 * @param example a column of the rows
 */
export function columns(example?: string) {
  const described = example === undefined ? 'Columns' : `Columns, e.g. ${example}`;
  return { fields: z.array(words).max(100).optional().describe(described).meta(outputOnly) };
}

function rowForm(example: string | undefined) {
  return {
    ...columns(example),
    sort: words.optional().describe('Column or -column').meta(outputOnly),
    top: z.int().min(1).optional().describe('N largest by sort').meta(outputOnly),
  };
}

/**
 * Arguments of a list that the platform sends complete.
 * @param example a column of the list
 */
export function wholeList(example?: string) {
  return {
    ...rowForm(example),
    limit: z.int().min(0).optional().describe('0: profile only').meta(outputOnly),
  };
}

/** ISO 639-1, lower case. */
export const languageCode = z
  .string()
  .max(maxText)
  .regex(/^[a-z]{2}$/, 'must be two lower-case letters, such as nl or en')
  .optional()
  .describe('Language of titles')
  .meta({ default: 'nl' });

/** docs/platform.md#page-sizes. */
export function paging(defaultLimit: number, maxLimit: number) {
  return {
    start: z
      .int()
      .min(0)
      .optional()
      .describe('Offset')
      .meta({ ...paged(0), minimum: 0 }),
    limit: z
      .int()
      .min(0)
      .max(maxLimit)
      .optional()
      .describe('0: profile only')
      .meta(paged(defaultLimit)),
    all: z.boolean().optional().describe('Every page').meta(outputOnly),
  };
}

/**
 * Arguments of a list that is read by offset.
 * @param example a column of the list
 */
export function page(defaultLimit: number, maxLimit: number, example?: string) {
  return { ...paging(defaultLimit, maxLimit), ...rowForm(example) };
}

/**
 * Arguments of a change feed: exactly one of `since` and `cursor` (docs/platform.md#change-feeds).
 * @param example a column of the feed
 */
export function changeFeed(example: string) {
  return {
    since: words.optional().describe('ISO time, day or period word'),
    cursor: z.string().max(4000).optional().describe('next_cursor of an earlier answer'),
    limit: z.int().min(0).max(250).optional().describe('0: profile only').meta(paged(100)),
    all: z.boolean().optional().describe('To the end').meta(outputOnly),
    ...rowForm(example),
  };
}
