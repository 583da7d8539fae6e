/** What a look at the account found. */
import { quote, quoted } from '../../../core/text.ts';
import type { Texts } from './reader.ts';

const maxName = 64;
const maxReason = 160;

const subjects = {
  internal_orders: 'What the platform does with internal orders without is_internal',
  product_sales_returns: 'Whether product sales are less returns',
  change_feed_internal: 'Whether the feed of changed orders holds internal orders',
  reported_internal: 'Whether turnover and order_count hold internal orders',
  discounted_internal: 'Whether discounted orders hold internal orders',
  correction_lines: 'What the lines of a correction carry',
  walk_in_customer: 'Which customer stands for sales without one',
  first_day: 'The first day with orders',
};

const internalOrders = {
  none: () => 'decides: the last 30 days had no internal orders.',
  included: (count: number) => `counts internal orders in: ${count} in the last 30 days.`,
  left_out: (count: number) => `leaves internal orders out: ${count} in the last 30 days.`,
};

export const platformTexts = {
  // What looks at the account found where the document is silent, with the evidence
  internal_orders: ({ value, count }) =>
    `Without is_internal the platform ${internalOrders[value](count)}`,
  product_sales_returns: ({ value, column, measure, isPerGroup, day = 'last week' }) =>
    `Product sales are ${value === 'off' ? 'less' : 'before'} returns (checked on ${day}: ${quoted(column, maxName)} adds up to ${quoted(measure, maxName)}${isPerGroup ? ' of each group' : ''}).`,
  change_feed_internal: ({ value, count }) =>
    value
      ? `The feed holds internal orders: ${count} seen.`
      : `The feed leaves internal orders out: ${count} changed on its days.`,
  reported_internal: ({ value, day, reported, others, internals }) =>
    `Reports ${value === 'left_out' ? 'leave internal orders out' : 'count internal orders in'}: order_count of ${day} is ${reported}, the list has ${others} and ${internals} internal ones.`,
  discounted_internal: ({ value, day, count }) =>
    value === 'left_out'
      ? `Discounted orders leave internal ones out: ${count} on ${day}.`
      : `Discounted orders hold internal ones: ${count} on ${day}.`,
  correction_lines: ({ value }) => {
    const kinds = value.map(({ kind, below }) =>
      below.length > 0 ? `${kind} with ${below.join(', ')} < 0` : kind,
    );
    return `Lines of a correction: ${kinds.join('; ')}.`;
  },
  walk_in_customer: ({ value, count, orders }) =>
    `Customer ${value} is that of sales without a customer: ${count} of ${orders} orders.`,
  first_day: ({ value }) => `The first day with orders is ${value}.`,
  behaviour_open: ({ about, why, reason }, { say }) => {
    const subject = subjects[about];
    if (why === 'left_out') return `${subject} is left out.`;
    if (why === 'not_known_yet') return `${subject} is not known yet.`;
    return `${subject} is open${reason ? `: ${quote(say(reason), maxReason)}` : '.'}`;
  },
  cannot_be_read: 'it cannot be read',
} satisfies Partial<Texts>;
