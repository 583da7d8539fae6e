/** What is said of an account: what looks at it found where the document is silent, with the evidence. */
import { sayDays } from '../../../core/periods.ts';
import { countNoun, quote, quoted } from '../../../core/text.ts';
import type { Texts } from './reader.ts';

/** Characters of a name of the platform's in a sentence, and of a failure. */
const maxName = 64;
const maxReason = 160;

const subjects = {
  internal_orders: 'What the platform does with internal orders without is_internal',
  product_sales_returns: 'Whether product sales are less returns',
  change_feed_internal: 'Whether the feed of changed orders holds internal orders',
  reported_internal: 'Whether turnover and order_count hold internal orders',
  walk_in_customer: 'Which customer stands for sales without one',
  first_day: 'The first day with orders',
};

const internalOrders = {
  none: () => 'decides: the last 30 days had no internal orders.',
  included: (count: number) => `counts internal orders in: ${count} in the last 30 days.`,
  left_out: (count: number) => `leaves internal orders out: ${count} in the last 30 days.`,
};

export const accountTexts = {
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
  walk_in_customer: ({ value, count, of }) =>
    `Customer ${value} is that of sales without a customer: ${count} of ${of} orders.`,
  first_day: ({ value }) => `The first day with orders is ${value}.`,
  behaviour_open: ({ about, why, reason }, { say }) => {
    const subject = subjects[about];
    if (why === 'left_out') return `${subject} is left out.`;
    if (why === 'not_known_yet') return `${subject} is not known yet.`;
    return `${subject} is open${reason ? `: ${quote(say(reason), maxReason)}` : '.'}`;
  },
  cannot_be_read: () => 'it cannot be read',
  kept_lines: ({ orders, filled, bytes, keepMb }, { say }) => {
    const days = filled ? say({ code: 'kept_days', ...filled }) : 'no whole day';
    return `${countNoun(orders, 'order')}, ${days}, ${(bytes / 1e6).toFixed(1)} of ${keepMb} MB`;
  },
  kept_days: ({ missing, ...days }) =>
    `${sayDays(days)}${missing > 0 ? ` without ${countNoun(missing, 'day')} of them` : ''}`,
  gave_no_rows: ({ tool }) => `${tool} gave no rows.`,
} satisfies Partial<Texts>;
