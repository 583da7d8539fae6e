/** How an account behaves, in words with the evidence. */
import { quote, quoted } from '../../core/text.ts';
import type { BehaviourFinding, BehaviourName } from './behaviour.ts';

const maxName = 64;
const maxReason = 160;

const internalOrders = {
  none: () => 'decides: the last 30 days had no internal orders.',
  included: (count: number) => `counts internal orders in: ${count} in the last 30 days.`,
  left_out: (count: number) => `leaves internal orders out: ${count} in the last 30 days.`,
};

/** A finding as a sentence. */
export function sayFinding(finding: BehaviourFinding): string {
  switch (finding.code) {
    case 'internal_orders':
      return `Without is_internal the platform ${internalOrders[finding.value](finding.count)}`;
    case 'product_sales_returns': {
      const { value, column, measure, isPerGroup, day = 'last week' } = finding;
      return `Product sales are ${value === 'off' ? 'less' : 'before'} returns (checked on ${day}: ${quoted(column, maxName)} adds up to ${quoted(measure, maxName)}${isPerGroup ? ' of each group' : ''}).`;
    }
    case 'change_feed_internal':
      return finding.value
        ? `The feed holds internal orders: ${finding.count} seen.`
        : `The feed leaves internal orders out: ${finding.count} changed on its days.`;
    case 'reported_internal':
      return `Reports ${finding.value === 'left_out' ? 'leave internal orders out' : 'count internal orders in'}: order_count of ${finding.day} is ${finding.reported}, the list has ${finding.others} and ${finding.internals} internal ones.`;
    case 'discounted_internal':
      return finding.value === 'left_out'
        ? `Discounted orders leave internal ones out: ${finding.count} on ${finding.day}.`
        : `Discounted orders hold internal ones: ${finding.count} on ${finding.day}.`;
    case 'correction_lines': {
      const kinds = finding.value.map(({ kind, below }) =>
        below.length > 0 ? `${kind} with ${below.join(', ')} < 0` : kind,
      );
      return `Lines of a correction: ${kinds.join('; ')}.`;
    }
    case 'walk_in_customer':
      return `Customer ${finding.value} is that of sales without a customer: ${finding.count} of ${finding.orders} orders.`;
  }
}

const subjects: Readonly<Record<BehaviourName, string>> = {
  internal_orders: 'What the platform does with internal orders without is_internal',
  product_sales_returns: 'Whether product sales are less returns',
  change_feed_internal: 'Whether the feed of changed orders holds internal orders',
  reported_internal: 'Whether turnover and order_count hold internal orders',
  discounted_internal: 'Whether discounted orders hold internal orders',
  correction_lines: 'What the lines of a correction carry',
  walk_in_customer: 'Which customer stands for sales without one',
};

/**
 * Says that there is no finding.
 * @param why `left out`: the caller lacks toolsets; `open`: the looks did not tell, or failed
 * @param failed why a look failed
 */
export function sayOpen(
  name: BehaviourName,
  why: 'left out' | 'not known yet' | 'open',
  failed?: string,
): string {
  return `${subjects[name]} is ${why}${failed === undefined ? '.' : `: ${quote(failed, maxReason)}`}`;
}
