import { z } from 'zod';

/** The `context` of an answer, as docs/answers.md describes it, for programs that generate types. */

const days = z.object({
  from: z.string(),
  to: z.string(),
  timezone: z.string(),
  given: z.string(),
});

const stretch = z.object({ from: z.string(), to: z.string() });

const emptyDays = z.object({ count: z.int(), days: z.array(z.string()), text: z.string() });

const number = z.union([z.number(), z.string()]);

const usual = z.object({
  like: z.string(),
  periods: z.array(stretch).optional(),
  left_out: z.array(stretch.extend({ reason: z.string() })).optional(),
  middle: stretch.extend({ turnover: number, from_median: number }).optional(),
});

const dayNote = z.object({
  day: z.string(),
  note: z.string(),
  unusual: z.literal(true).optional(),
  shop_id: z.int().optional(),
});

const call = z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) });

const texts = z.record(z.string(), z.string());

const table = call.extend({
  table: z.string(),
  period: days.optional(),
  reference_period: days.optional(),
  as_of: z.string(),
  cached: z.literal(true).optional(),
  left_open: texts.optional(),
  empty_days: emptyDays.optional(),
  rows: z.int(),
  calls: z.int(),
  complete: z.boolean(),
  result: z.string().optional(),
  kept: z
    .object({ orders: z.int(), of: z.int(), rows: z.int(), since: z.string().optional() })
    .optional(),
});

const profile = z.object({
  name: z.string(),
  type: z.string(),
  sum: number.optional(),
  min: number.optional(),
  max: number.optional(),
  values: z.record(z.string(), z.int()).optional(),
  distinct: z.int().optional(),
  empty: z.int().optional(),
});

const result = z.object({
  id: z.string(),
  uri: z.string(),
  rows: z.int(),
  expires_at: z.string(),
  columns: z.array(profile),
});

const resolved = z.object({
  given: z.string(),
  id: z.int(),
  name: z.string(),
  note: z.string().optional(),
});

export const contextSchema = z.object({
  endpoint: z.string(),
  source: z.enum(['live', 'sandbox']),
  account: z.string().optional(),
  as_of: z.string(),
  cached: z.literal(true).optional(),
  period: days.optional(),
  reference_period: days.optional(),
  resolved: z.record(z.string(), resolved).optional(),
  labels: z.record(z.string(), texts).optional(),
  left_open: texts.optional(),
  empty_days: emptyDays.optional(),
  usual: usual.optional(),
  summary: z.array(z.string()).optional(),
  notes: z.array(dayNote).optional(),
  since: z.object({ given: z.string(), instant: z.string() }).optional(),
  order: z.record(z.string(), z.unknown()).optional(),
  definitions: texts.optional(),
  more: z.record(z.string(), z.array(z.string())).optional(),
  tables: z.array(table).optional(),
  complete: z.boolean().optional(),
  read: z.object({ rows: z.int(), of: z.int().optional() }).optional(),
  next: call.optional(),
  result: result.optional(),
  warnings: z.array(z.object({ code: z.string(), text: z.string() })).optional(),
});
