/** What the questions about turnover take. */
import { z } from 'zod';
import { locationRef, range, words } from '../../endpoints/parameters.ts';
import { bucketSizes } from './buckets.ts';
import { factSplits } from './fact-splits.ts';
import { measures } from './measures.ts';
import { comparisons } from './reference-period.ts';

export const comparisonInput = z.strictObject({
  ...range,
  against: z
    .enum([...comparisons, 'none'])
    .optional()
    .describe('What to compare with; none: no comparison')
    .meta({ default: 'previous_period' }),
  against_from: words.optional().describe('Instead of against: first day'),
  against_to: words.optional().describe('Instead of against: last day'),
  by: z.enum(factSplits).optional().describe('How to split').meta({ default: 'total' }),
  measures,
  location_id: locationRef.optional(),
});

export type ComparisonInput = z.output<typeof comparisonInput>;

export const trendInput = z.strictObject({
  ...range,
  bucket: z.enum(bucketSizes).optional().describe('Size').meta({ default: 'day' }),
  by: z
    .enum(['total', 'shop', 'location', 'turnover_group'])
    .optional()
    .describe('How to split')
    .meta({ default: 'total' }),
  against: z
    .enum([...comparisons, 'none'])
    .optional()
    .describe('What each bucket stands beside')
    .meta({ default: 'none' }),
  location_id: locationRef.optional(),
  measures,
});

export type TrendInput = z.output<typeof trendInput>;
