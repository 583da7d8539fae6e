/** What a reader must know before using figures: a sentence, and a code by which a program tells it from others. */

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
  'rows_left_out',
  'unknown_value',
  'other_days',
  // Figures that are drawn
  'not_drawn',
  'other_unit',
  // Warnings themselves
  'more_warnings',
] as const;

export type WarningCode = (typeof warningCodes)[number];

export interface Warning {
  code: WarningCode;
  /** A sentence or a few, to be passed on to the reader of the figures. */
  text: string;
}

/** Warnings without those that say the same again. */
export function distinctWarnings(warnings: readonly Warning[]): Warning[] {
  return [...new Map(warnings.map((warning) => [warning.text, warning])).values()];
}
