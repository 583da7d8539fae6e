/** Messages: a code, the parameters of its sentence, and the sentence, made together where they arise. */

/** The sentences of a room by code: each is written from its parameters, or stands as it is where it has none. */
type Sentences = Readonly<Record<string, string | ((parameters: never) => string)>>;

/** Finished messages of a code, with the parameters that its sentence was written from. */
export type Finished<Code extends string = string, Parameters = unknown> = Readonly<Parameters> & {
  readonly code: Code;
  readonly text: string;
};

/** Anything that is said with a code: `{ code: 'day_not_over', today: '2026-11-20', time: '14:05', text }`. */
export type Message = Finished;

/** The messages of each room that warns, by its name: such a room declares its own. */
// biome-ignore lint/suspicious/noEmptyInterface: rooms add to it
export interface Rooms {}

type MessageOfRooms = { [Room in keyof Rooms]: MessageOfRoom<Rooms[Room]> }[keyof Rooms];

/** Any message that the makers of a room make. */
export type MessageOfRoom<Room> = {
  [Code in keyof Room]: Room[Code] extends (...parameters: never) => infer Made ? Made : never;
}[keyof Room];

/** Whether a message is one that a room makes: its code then tells its parameters. */
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
 * The messages of a room: for each code a function from its parameters to the message with its sentence.
 * @example
 * const messages = messagesOf({ view_reads_itself: (it: { view: string }) => `${it.view} ...` });
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

/** A message as a log has it: `day_not_over {"today":"2026-11-20","time":"14:05"}`. */
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

/** All codes of warnings; docs/answers.md#warnings says what each means. */
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

/** A message that has to be passed on to the reader of the figures. */
export type Warning = Extract<MessageOfRooms, { code: WarningCode }> & {
  /** The subject, if that is not the whole answer: a location, a table. */
  readonly about?: string;
  /** So many more say the same of other days or calls. */
  readonly alike?: number;
};

/** Warnings without those that say the same again. */
export function distinctWarnings(warnings: readonly Warning[]): Warning[] {
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()];
}

/** The facts of a log line; `reason` is written as a sentence. */
export type LogFacts = Record<string, unknown> & { reason?: Message | Error | string | undefined };

type Write = (facts: LogFacts, message: string) => void;

/** The log of the server. */
export interface Log extends Record<'debug' | 'info' | 'warn' | 'error', Write> {
  /** Who did what: written whatever the level, where evidence is kept. */
  audit: Write;
  /** The code of the system's error where the last line of the audit could not be written. */
  auditProblem(): string | undefined;
  /** Whether lines of this level are written at all. */
  writes(level: 'debug' | 'info' | 'warn' | 'error'): boolean;
}
