import { decimal, integer, listOf, text } from '../../endpoints/shapes.ts';
import { computing, defineTool } from '../define-tool.ts';
import { comparisonInput } from './inputs.ts';

/** One period of the financial report against another, figure by figure. */
export const compareTurnover = defineTool({
  tool: 'compare_turnover',
  title: 'Compare turnover',
  description:
    'One period against another from the financial report: each figure with difference and percent, in total or split. First choice for "against last week" and turnover per location.',
  asksPlatform: true,
  input: comparisonInput,
  calls: async (given) => (await computing()).countComparison(given),
  output: listOf({
    measure: text,
    id: integer,
    name: text,
    current: decimal,
    reference: decimal,
    difference: decimal,
    percent: decimal,
  }),
  answer: async (...asked) => (await computing()).answerComparison(...asked),
});
