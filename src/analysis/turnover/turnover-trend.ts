import { integer, listOf, text } from '../../endpoints/shapes.ts';
import { computing, defineTool } from '../define-tool.ts';
import { trendInput } from './inputs.ts';

/** The financial report over a period, bucket by bucket. */
export const turnoverTrend = defineTool({
  tool: 'turnover_trend',
  title: 'Turnover trend',
  description: [
    'The financial report per day, week or month, each bucket beside its reference if asked. One request a bucket.',
    { needs: 'get_financial_report', text: 'For a single total use get_financial_report.' },
  ],
  asksPlatform: true,
  input: trendInput,
  calls: async (...asked) => (await computing()).countTrend(...asked),
  output: listOf({ bucket: text, from: text, to: text, id: integer, name: text }),
  answer: async (...asked) => (await computing()).answerTrend(...asked),
});
