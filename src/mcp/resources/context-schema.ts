import { z } from 'zod';

/** The `context` of an answer, as docs/answers.md describes it, for programs that generate types. */

const days = z.object({
  from: z.string(),
  to: z.string(),
  timezone: z.string(),
  given: z.string(),
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
  sum: z.union([z.number(), z.string()]).optional(),
  min: z.union([z.number(), z.string()]).optional(),
  max: z.union([z.number(), z.string()]).optional(),
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
  as_of: z.string(),
  cached: z.literal(true).optional(),
  period: days.optional(),
  reference_period: days.optional(),
  resolved: z.record(z.string(), resolved).optional(),
  labels: z.record(z.string(), texts).optional(),
  left_open: texts.optional(),
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
