import { z } from 'zod';
import { figureKinds } from './figure.ts';

/** What is to be drawn: the rows of a statement, or kept ones. */
export const figureInput = z.strictObject({
  sql: z.string().max(50_000).optional().describe('As in query'),
  result_id: z.string().max(200).optional().describe('Or context.result.id'),
  title: z.string().max(200).optional().describe("In the reader's language"),
  kind: z
    .enum(['auto', ...figureKinds])
    .optional()
    .describe('auto: by the first column'),
  unit: z.string().max(30).optional().describe('euro, percent, count or a word'),
  max_calls: z.int().min(1).max(100_000).optional().describe('As in query'),
});

export type FigureInput = z.output<typeof figureInput>;
