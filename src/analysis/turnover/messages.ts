/** What is said of turnover, as data; `mcp/answers/catalogue/turnover.ts` writes it. */
import type { BucketSize, Day, Days } from '../../core/calendar.ts';
import type { MessageOf } from '../../core/message.ts';
import type { FactSplit } from '../reference/facts.ts';
import type { Excluded } from './earlier-periods.ts';

/** A decimal as JSON has it. */
type Amount = number | string;

interface UnknownMeasure {
  tool: string;
  by: FactSplit;
  name: string;
  nearest?: string | undefined;
}

/** In what earlier periods are alike, and how many of how many count. */
export interface CountedPeriods {
  like: MessageOf<'like_units' | 'like_days' | 'like_each'>;
  counted: number;
  of: number;
}

interface RankedFigure extends Record<'current' | 'median' | 'low' | 'high', Amount> {
  count: number;
  rank: number;
}

declare module '../../core/message.ts' {
  interface Messages {
    // Questions that are refused
    shops_by_shop: { by: FactSplit };
    explain_splits_total: { by: FactSplit };
    explain_needs_reference: object;
    two_references: object;
    too_many_buckets: { size: BucketSize; most: number };
    expected_needs_days: { most: number };
    expected_is_usual: object;
    no_usual_of_period: { days: Days; most: number };
    too_many_calls: { calls: number; periods: number; each: number; most: number };
    // Measures and rows
    unknown_measure: UnknownMeasure;
    unknown_measures: UnknownMeasure & { measures: readonly string[] };
    /** The split has measures, and none of turnover. */
    no_turnover_by: { tool: string; by: FactSplit; measures: readonly string[] };
    turnover_internal: { internal: 'left_out' | 'included' };
    sum_of_blocks: { measure: string };
    turnover_per_order: { turnover: string };
    counted_orders: object;
    percentage_points: object;
    rows_of_subjects: { rows: number; total: number; hasGaps: boolean };
    latest_notes: { shown: number; count: number };
    // Periods that are compared
    not_like_for_like: {
      period: Days & { given: string };
      others: readonly Days[];
      /** Of several buckets, of which this is the first such. */
      buckets?: { unlike: number; of: number } | undefined;
    };
    /** Calendar units, whole or up to a day of each. */
    like_units: { unit: 'month' | 'quarter'; upToDay?: number | undefined };
    /** As many days, from the same weekday on. */
    like_days: { days: number; weekday: string };
    like_each: object;
    too_few_periods: { few: number; of: number; earlier?: CountedPeriods | undefined };
    medians_of_parts: object;
    median_of_earlier: CountedPeriods & { days?: Days | undefined };
    median_of_each: { like: CountedPeriods['like'] };
    median_of_weekdays: { measure: string; before: Day };
    figure_among_earlier: { measure: string; figure: RankedFigure; earlier: CountedPeriods };
    days_outside: {
      outside: readonly { day: Day; name?: string | undefined; side: 'below' | 'above' }[];
      judged: number;
      isByDay: boolean;
    };
    not_counted: { excluded: readonly Excluded[] };
    before_first_day: { firstDay: Day };
    before_first_trade: object;
    no_trade: object;
    unusual_day: { note: string };
    // Parts of a difference
    not_explained: { why: 'no_earlier_trade' | 'no_turnover' };
    explained: {
      difference: Amount;
      against: Days;
      middle?: { turnover: Amount; from_median: Amount } | undefined;
      orders?: Readonly<Record<'count' | 'before' | 'byNumber' | 'byValue', Amount>> | undefined;
      largest?: { part: string; difference: Amount } | undefined;
    };
    no_view_of_orders: { why: 'no_toolset' | 'no_orders' };
    no_view: { split: FactSplit };
  }
}
