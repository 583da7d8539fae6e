import { z } from 'zod';
import { conditionOps } from './rows/conditions.ts';

/** Arguments that the tools over kept rows share. */

export const resultId = z.string().describe('context.result.id of an earlier answer');

export const where = z
  .array(
    z.strictObject({
      column: z.string(),
      op: z.enum(conditionOps),
      value: z.string().optional().describe('in: comma list'),
    }),
  )
  .optional()
  .describe('Only rows that pass all');

export const sort = z.string().optional().describe('Column; -column for descending');
