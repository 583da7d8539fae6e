/** Sentences by their codes; a function where the sentence has parameters. */
type Sentences = Readonly<Record<string, string | ((parameters: never) => string)>>;

export type Finished<Code extends string = string, Parameters = unknown> = Readonly<Parameters> & {
  readonly code: Code;
  readonly text: string;
};

/** A code, the parameters of its sentence and the sentence: `{ code: 'in_future', days: {...}, text: 'In the...' }`. */
export type Message = Finished;

/** The union of a room's messages, from what `messagesOf` gave. */
export type MessageOfRoom<Room> = {
  [Code in keyof Room]: Room[Code] extends (...parameters: never) => infer Made ? Made : never;
}[keyof Room];

/** Narrows a message to those of a room: its code then tells its parameters. */
export function isMessageOf<Room extends object>(
  room: Room,
  message: Message | undefined,
): message is Message & MessageOfRoom<Room> {
  return message !== undefined && Object.hasOwn(room, message.code);
}

type Makers<Room extends Sentences> = {
  readonly [Code in keyof Room & string]: Room[Code] extends (
    parameters: infer Parameters,
  ) => string
    ? (parameters: Parameters) => Finished<Code, Parameters>
    : () => Finished<Code>;
};

/**
 * Makes of each sentence a function from its parameters to the message.
 * @example
 * const messages = messagesOf({ view_reads_itself: ({ view }: { view: string }) => `${view} ...` });
 * messages.view_reads_itself({ view: 'regulars' }); // { code, view, text }
 */
export function messagesOf<const Room extends Sentences>(sentences: Room): Makers<Room> {
  const makers = Object.entries(sentences).map(([code, sentence]) => {
    const make = (parameters?: object) => {
      const text = typeof sentence === 'string' ? sentence : sentence(parameters as never);
      return { code, ...parameters, text };
    };
    return [code, make] as const;
  });
  return Object.fromEntries(makers) as Makers<Room>;
}

/** For logs: `day_not_over {"today":"2026-11-20","time":"14:05"}`. */
export function logText({
  code,
  text: _,
  ...parameters
}: {
  readonly code: string;
  readonly text?: string;
}): string {
  return `${code} ${JSON.stringify(parameters)}`;
}

/** docs/answers.md#warnings explains each. */
export const warningCodes = [
  // Days
  'day_not_over',
  'in_future',
  'cut_by_period',
  'not_like_for_like',
  'holidays_on_one_side',
  'too_few_periods',
  'medians_of_parts',
  // Figures and rows that came
  'all_zero',
  'balance_differs',
  'figures_unread',
  'periods_overlap',
  'product_ids',
  'no_rows',
  'unknown_id',
  'shop_or_location',
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
  'mixed_measures',
  'summed_percentages',
  'no_values',
  'unseen_columns',
  'bare_day',
  'null_in_list',
  'other_ids',
  'totals_as_turnover',
  'rows_left_out',
  'rows_unread',
  'columns_left_out',
  'no_facts',
  'other_days',
  // Figures that are drawn
  'not_drawn',
  // Warnings themselves
  'more_warnings',
] as const;

export type WarningCode = (typeof warningCodes)[number];

/** A message that a reader of the figures has to know. */
export type Warning = Finished<WarningCode> & {
  /** A location or a table, where the warning is not about the whole answer. */
  readonly about?: string;
  /** How many more warnings say the same of other days or calls. */
  readonly alike?: number;
};

export function distinctWarnings(warnings: readonly Warning[]): Warning[] {
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()];
}

/** `reason` is logged as a sentence. */
export type LogFacts = Record<string, unknown> & { reason?: Message | Error | string | undefined };

type Write = (facts: LogFacts, message: string) => void;

export interface Log extends Record<'debug' | 'info' | 'warn' | 'error', Write> {
  /** Records the actions of users, at any log level, where an audit log is kept. */
  audit: Write;
  /** The system's error code, if the last line of the audit could not be written. */
  auditProblem(): string | undefined;
  /** Whether the level is logged at all. */
  writes(level: 'debug' | 'info' | 'warn' | 'error'): boolean;
}
