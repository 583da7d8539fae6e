import { z } from 'zod';

/** Arguments that several endpoints share, described once for the model that fills them in. */

const day = z.string();

/** `from` and `to`, both inclusive Amsterdam days, or `period` instead (section 1, convention 1). */
export const range = {
  period: z
    .string()
    .optional()
    .describe('yesterday, last_week, this_month, last_N_days, a day or day..day; or from, to'),
  from: day.optional().describe('First day: YYYY-MM-DD, today or yesterday'),
  to: day.optional().describe('Last day, inclusive; default from'),
};

/** The one day of a daily close. */
export const date = day.describe('YYYY-MM-DD, today or yesterday');

/** References take an id or a name; they become ids before anything is sent. */
export const shopRef = z.string().describe('Shop id or name (not a location)');
export const locationRef = z.string().describe('Location id or name (not a shop)');
export const groupRef = z.string().describe('Turnover group id or name');
export const segmentRef = z.string().describe('Customer segment id or name');

/** Sent as 1 or 0 (section 4, rule 5). */
export const flag = z.boolean();

/** An id of the account, 1 or more. */
export const id = z.int().min(1);

/** The form of an answer of rows: its columns, their order, and how many of them. */
const rowForm = {
  fields: z.array(z.string()).optional().describe('Columns to return, e.g. id'),
  sort: z.string().optional().describe('Column, - in front for descending; reads the whole list'),
  top: z.int().min(1).max(1000).optional().describe('So many of the sorted rows'),
};

/** Columns to return; dotted names reach nested fields. */
export const { fields } = rowForm;

/** A list that comes whole: what of it the answer shows. */
export const wholeList = {
  ...rowForm,
  limit: z.int().min(0).max(1000).optional().describe('Most rows shown; 0: their profile alone'),
};

/** ISO 639-1, lower case. */
export const languageCode = z
  .string()
  .regex(/^[a-z]{2}$/, 'must be two lower-case letters, such as nl or en')
  .optional()
  .meta({ default: 'nl' });

/** Offset paging with the bounds of section 8.6. */
export function page(defaultLimit: number, maxLimit: number) {
  return {
    start: z.int().min(0).optional().meta({ default: 0 }),
    limit: z
      .int()
      .min(0)
      .max(maxLimit)
      .optional()
      .describe('0: the profile of all rows alone')
      .meta({ default: defaultLimit }),
    all: z
      .boolean()
      .optional()
      .describe('Read every page, for totals; limit then caps the rows shown'),
    ...rowForm,
  };
}

/** A change feed: exactly one of `since` and `cursor` (section 4, rule 6). */
export const delta = {
  since: z
    .string()
    .optional()
    .describe('ISO time, day or period word such as today; this or cursor'),
  cursor: z.string().optional().describe('next_cursor of an earlier answer'),
  limit: z.int().min(0).max(250).optional().meta({ default: 100 }),
  all: z.boolean().optional().describe('Follow to the end; limit then caps the rows shown'),
  ...rowForm,
};
