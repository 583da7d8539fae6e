/** What can be asked about turnover. */
import { z } from 'zod';
import { type BucketSize, bucketSizes } from '../../core/calendar.ts';
import { comparisons } from '../../core/earlier-periods.ts';
import { form } from '../../endpoints/define.ts';
import { locationRef, range, words } from '../../endpoints/parameters.ts';
import type { Call } from '../answer.ts';
import { type FactSplit, factSplits } from '../reference/facts.ts';
import type { Services } from '../services.ts';
import { measures } from './measures.ts';

/** What of the figures is meant. */
const chosen = {
  measures,
  location_id: locationRef.optional(),
  shop_id: z.array(words).max(100).optional().describe('Shops by id or name: rows of these'),
};

/** The ways to choose a reference, or none. */
const against = z.enum([...comparisons, 'usual', 'none']).optional();

/** The arguments of `compare_turnover`. */
export const comparison = z.strictObject({
  ...range,
  against: against
    .describe(
      'previous_period: as many days before, of this_month the same of last month; month_earlier: same dates; usual: median',
    )
    .meta({ default: 'previous_period' }),
  against_from: words.optional().describe('Instead of against: first day'),
  against_to: words.optional().describe('Last day'),
  by: z.enum(factSplits).optional().describe('How to split').meta({ default: 'total' }),
  explain: z.boolean().optional().describe('Parts of the difference').meta(form),
  ...chosen,
});

/** The arguments of `turnover_trend`. */
export const course = z.strictObject({
  ...range,
  bucket: z.enum(bucketSizes).optional().describe('Size').meta({ default: 'day' }),
  by: z
    .enum(['total', 'shop', 'location', 'turnover_group'])
    .optional()
    .describe('How to split')
    .meta({ default: 'total' }),
  against: against.describe('Beside each bucket').meta({ default: 'none' }),
  expected: z.boolean().optional().describe('Usual range of each day'),
  ...chosen,
});

/** The arguments of either. */
export type TurnoverArguments = z.output<typeof comparison> &
  Pick<z.output<typeof course>, 'expected'>;

/** How figures are split: by shop where shops are named. */
export function splitOf({ by, shop_id: shops }: TurnoverArguments): FactSplit {
  return by ?? (shops ? 'shop' : 'total');
}

/** A question about turnover: the arguments of a tool, and what it is answered with. */
export interface Question {
  services: Services;
  tool: string;
  args: TurnoverArguments;
  by: FactSplit;
  /** Of the buckets, where it is about some. */
  size?: BucketSize;
  call: Call;
}
