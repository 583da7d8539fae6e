/** What is said of reports. */
import { sayDays } from '../../../core/periods.ts';
import { quote } from '../../../core/text.ts';
import { sentences, type Texts } from './reader.ts';

export const reportTexts = {
  balance_differs: ({ period, path, difference }, { passOn }) =>
    sentences(
      `Payments${period ? ` of ${sayDays(period)}` : ''} do not balance with the total (${quote(path)}).`,
      difference && `The difference is ${difference} euros.`,
    ) + passOn,
  all_zero: ({ period }) => {
    const when = period.from === period.to ? 'that day' : 'those days';
    return `Every figure of ${sayDays(period)} is zero: no orders and no payments on ${when}.`;
  },
  vat_in_two_blocks: (_, { hasTool, argument }) =>
    `is direct_paid and not_paid_now together${hasTool('compare_turnover') ? `: compare_turnover ${argument('by', 'tax_rate')} adds them` : ''}`,
  balance_by_day: (_, { hasTool }) =>
    hasTool('turnover_trend')
      ? 'of each day is shown by turnover_trend with measures ["balance_check.difference"]'
      : '',
  balance_by_order: ({ day }, { hasTool }) =>
    hasTool('query')
      ? `of each order: query joins list_orders of ${day} with list_order_items, lines of kind payment against total_wt; where these are costs, payments of get_order against it`
      : '',
  lines_of_order: ({ amount, total, sum, kinds, included, twice }) => {
    const of = kinds ? `of kind ${kinds.join(' and ')} ` : '';
    const what = `${amount} ${total} of the order`;
    const paid = kinds ? '; payment lines are the same money: do not add them' : '';
    const held = included
      ? `, ${included.join(' and ')} included: take it off no second time`
      : twice
        ? ` without those of kind ${twice}, which the others hold already: do not add them twice`
        : '';
    const isTotal = sum === total || twice !== undefined;
    return `${of}add up to ${isTotal ? what + held : `${sum}, not to ${what}`}${paid}`;
  },
} satisfies Partial<Texts>;
