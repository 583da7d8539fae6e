import { argumentMessages } from '../../src/analysis/read-arguments.ts';
import { sentencesOf } from './sentences-of.ts';

const tool = 'list_orders';

export const argumentSentences = sentencesOf('arguments', argumentMessages, {
  argument_too_large: [
    { tool, argument: 'status', characters: 60_000, max: 50_000 },
    { tool, argument: 'fields', max: 1000 },
  ],
  unknown_argument: [
    { tool, argument: 'perod', nearest: 'period', known: ['period', 'from'] },
    { tool: 'get_me', argument: 'id', known: [] },
    {
      ...{ tool: 'get_daily_close', argument: 'shop_id', known: ['date', 'location_id'] },
      comparison: { period: 'yesterday', against: 'none', shop_id: '7' },
    },
  ],
  wrong_arguments: [
    {
      tool,
      wrong: [
        { place: 'kinds.1', accepted: 'one of shop, tax_rate', value: 'tax', nearest: 'tax_rate' },
        { place: 'shop_id', accepted: 'text (Shop id or name)', value: {} },
        { place: 'date', accepted: 'text (YYYY-MM-DD)' },
        { place: 'language', accepted: 'text', form: 'must be two letters', value: 'N' },
      ],
    },
  ],
});
