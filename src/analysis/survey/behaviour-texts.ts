/** How an account behaves, in words with the evidence. */
import { countNoun, quote, quoted } from '../../core/text.ts';
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
      const { value, column, measure, groupsAbove, day = 'last week' } = finding;
      const compared = groupsAbove
        ? `is above ${quoted(measure, maxName)} in ${countNoun(groupsAbove, 'turnover group')} by no more than came back, and equals it in the others`
        : `adds up to ${quoted(measure, maxName)} of each turnover group`;
      return `Product sales are ${value === 'off' ? 'less' : 'before'} returns (checked on ${day}: ${quoted(column, maxName)} ${compared}).`;
    }
    case 'walk_in_customer':
      return `Customer ${finding.value} is that of sales without a customer: ${finding.count} of ${finding.orders} orders.`;
  }
}

const subjects: Readonly<Record<BehaviourName, string>> = {
  internal_orders: 'What the platform does with internal orders without is_internal',
  product_sales_returns: 'Whether product sales are less returns',
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
