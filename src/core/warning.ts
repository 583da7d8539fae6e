/** What a reader must know before using figures: a message whose code is one of these. */
import type { Message } from './message.ts';

/** All codes of warnings; docs/answers.md#warnings says what each means. */
export const warningCodes = [
  // Days
  'day_not_over',
  'in_future',
  'cut_by_period',
  'not_like_for_like',
  'too_few_periods',
  'medians_of_parts',
  // Figures and rows that came
  'all_zero',
  'balance_differs',
  'inexact_numbers',
  'periods_overlap',
  'product_ids',
  'no_rows',
  'unknown_id',
  'unknown_measure',
  // Rows and names that did not come
  'not_whole',
  'row_limit',
  'moved_while_reading',
  'repeated_rows',
  'not_open',
  'no_names',
  'not_searched',
  'not_kept',
  // Statements
  'repeated_facts',
  'part_of_facts',
  'summed_percentages',
  'no_values',
  'unseen_columns',
  'bare_day',
  'null_in_list',
  'other_ids',
  'other_name',
  'totals_as_turnover',
  'rows_left_out',
  'rows_unread',
  'unknown_value',
  'other_days',
  // Figures that are drawn
  'not_drawn',
  'other_unit',
  // Warnings themselves
  'more_warnings',
] as const;

export type WarningCode = (typeof warningCodes)[number];

/** To be passed on to the reader of the figures. */
export type Warning = Extract<Message, { code: WarningCode }> & {
  /** What it is about, where that is not the whole answer: a location, a table. */
  readonly about?: string;
  /** So many more say the same of other days or calls. */
  readonly alike?: number;
  /** The sentence, once an edge has written it. */
  readonly text?: string;
};

/** A warning with its sentence. */
export type WrittenWarning = Warning & { readonly text: string };

/** Warnings without those that say the same again. */
export function distinctWarnings(warnings: readonly Warning[]): Warning[] {
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()];
}
