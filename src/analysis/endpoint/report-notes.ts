/** What figures of a report mean that is easily misread: notes by the names of the figures, each from the report itself. */
import { isRecord, type JsonObject } from '../../core/json.ts';
import { type Decimal, sum, toDecimal } from '../../core/money.ts';
import type { Endpoint } from '../../endpoints/define.ts';
import { getDailyClose, getFinancialReport } from '../../endpoints/reports.ts';

/** What a caller has, and what is known of the answer. */
interface About {
  hasTool(name: string): boolean;
  /** Whether its payments do not balance, over more days than one. */
  isUnbalancedOverDays: boolean;
}

/** Notes about a report, by the name of what they are about. */
export function reportNotes(
  endpoint: Pick<Endpoint, 'tool'>,
  report: JsonObject,
  { hasTool, isUnbalancedOverDays }: About,
): Record<string, string> {
  const notes: Record<string, string> = {};
  const both = [report.direct_paid, report.not_paid_now].every((block) => holdsRates(block));
  if (endpoint.tool === getFinancialReport.tool && both) {
    const adds = hasTool('compare_turnover') ? ': compare_turnover by: "tax_rate" adds them' : '';
    notes['VAT of a rate'] = `is direct_paid and not_paid_now together${adds}`;
  }
  const unpaid = endpoint.tool === getDailyClose.tool ? unpaidOf(report) : undefined;
  if (unpaid !== undefined) notes['not paid yet'] = unpaid.toFixed(2);
  if (isUnbalancedOverDays && hasTool('turnover_trend'))
    notes.balance_check =
      'of each day is shown by turnover_trend with measures ["balance_check.difference"]';
  return notes;
}

/** Whether a block of a report holds figures per VAT rate (docs/platform.md#reports). */
function holdsRates(block: unknown): boolean {
  if (Array.isArray(block)) return block.some(holdsRates);
  if (!isRecord(block)) return false;
  return 'tax_rate_id' in block || Object.values(block).some(holdsRates);
}

/**
 * By how much the payments of a daily close fall short of its turnover incl. VAT and its non-revenue, where
 * it names the three so that no guess is needed (docs/platform.md#reports).
 */
function unpaidOf({
  turnover_wt: turnover,
  non_revenue,
  payments,
}: JsonObject): Decimal | undefined {
  const { total } = isRecord(non_revenue) ? non_revenue : {};
  const [sold, other] = [toDecimal(turnover), toDecimal(total)];
  if (!sold || !other || !Array.isArray(payments)) return undefined;
  const amounts = payments.filter(isRecord).flatMap((payment) => {
    const [name, ...more] = Object.keys(payment).filter((key) => key.endsWith('_wt'));
    return name !== undefined && more.length === 0 ? [payment[name]] : [];
  });
  if (amounts.length < payments.length) return undefined;
  const unpaid = sold.plus(other).minus(sum(amounts));
  return unpaid.greaterThan(0) ? unpaid : undefined;
}
