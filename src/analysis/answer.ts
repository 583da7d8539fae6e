import { z } from 'zod';
import type { ProgressDeadline } from '../client/rate-limit/queue.ts';
import type { Days } from '../core/calendar.ts';
import type { JsonObject } from '../core/json.ts';
import type { Message } from '../core/message.ts';
import type { Period } from '../core/periods.ts';
import type { Warning, WrittenWarning } from '../core/warning.ts';
import type { Figure } from './figure/figure.ts';
import { columnProfile } from './rows/column-profile.ts';
import type { Row } from './rows/rows.ts';

/** How a call reports that it is under way. */
export interface Progress {
  done: number;
  total?: number | undefined;
  /** Such as `read 1,200 of 4,800 orders`. */
  message: string;
}

/** What a caller gives with the arguments. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** A call under way. */
export interface Call extends CallOptions {
  /** Epoch milliseconds: a whole call knows one time. */
  nowMs: number;
  /** Set for the calls of a statement and for looks at the account: low priority, one deadline for all, cached. */
  statementDeadline?: ProgressDeadline;
  /** Orders and their lines that were read before this moment, in epoch milliseconds, are read again. */
  readSinceMs?: number;
}

const text = z.string();
const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();
const texts = z.record(text, text).readonly();

/** A number; as text where no JSON number holds it. */
const number = z.union([z.number(), text]);

const days = z.object({ from: text, to: text });

/** The schema leaves words of the server open: a later version may have more. */
const period = days.extend({ timezone: text as z.ZodType<Period['timezone']>, given: text });

const toolCall = z.object({ tool: text, arguments: z.record(text, z.unknown()) });

/** A tool and the arguments for it. */
export type ToolCall = z.output<typeof toolCall>;

const resolvedName = z.object({
  given: text,
  id: z.int(),
  name: text,
  /** Where it was found, or what else is called so. */
  note: text.exactOptional(),
});

/** A name that became an id. */
export type ResolvedName = z.output<typeof resolvedName>;

const leftOut = days.extend({ reason: text });

const dayNote = z.object({
  day: text,
  note: text,
  /** It tells nothing about what is usual. */
  unusual: z.literal(true).exactOptional(),
  shop_id: z.int().exactOptional(),
});

/** What a business noted of a day, in its `tables/days.csv` (docs/definitions.md#days-with-a-story). */
export type DayNote = z.output<typeof dayNote>;

/** Where the rows of an answer, or of a table that a statement read, come from (docs/answers.md says what each is). */
const origin = {
  /** When it was read, ISO 8601 with Amsterdam offset. */
  as_of: text,
  cached: z.literal(true).exactOptional(),
  period: period.exactOptional(),
  reference_period: period.exactOptional(),
  /** What arguments that were left out meant for this answer. */
  left_open: texts.exactOptional(),
  /** Days of the period on which no row was made, where the rows tell: how many, the first three, and a text. */
  empty_days: z.object({ count: z.int(), days: list(text), text }).exactOptional(),
};

const tableUse = toolCall.extend({
  ...origin,
  table: text,
  rows: z.int(),
  calls: z.int(),
  complete: z.boolean(),
  result: text.exactOptional(),
  /** Of order lines: the orders whose lines were read before, with their rows and since when they are kept. */
  kept: z
    .object({ orders: z.int(), of: z.int(), rows: z.int(), since: text.exactOptional() })
    .exactOptional(),
});

/** A table that a statement read: what it is, how much of it there is and how fresh it is. */
export type TableUse = z.output<typeof tableUse>;

const answerContext = z.object({
  ...origin,
  endpoint: text,
  source: z.enum(['live', 'sandbox']),
  account: text.exactOptional(),
  resolved: z.record(text, resolvedName).exactOptional(),
  since: z.object({ given: text, instant: text }).exactOptional(),
  /** What is usual, by which periods (docs/answers.md#what-is-usual). */
  usual: z
    .object({
      like: text,
      periods: list(days).exactOptional(),
      left_out: list(leftOut).exactOptional(),
      middle: days.extend({ turnover: number, from_median: number }).exactOptional(),
    })
    .exactOptional(),
  /** By which column the rows are sorted, and which of its values comes first. */
  sorted: z
    .object({ by: text, first: z.enum(['smallest', 'largest', 'oldest', 'newest', 'a', 'z']) })
    .exactOptional(),
  summary: list(text).exactOptional(),
  notes: list(dayNote).exactOptional(),
  order: z.record(text, z.unknown()).exactOptional(),
  definitions: texts.exactOptional(),
  more: z.record(text, list(text)).readonly().exactOptional(),
  tables: list(tableUse).exactOptional(),
  warnings: list(z.looseObject({ code: text }) as unknown as z.ZodType<Warning>).exactOptional(),
});

/** The facts about an answer that a reader needs to trust it (docs/answers.md). */
export interface AnswerContext
  extends Omit<z.output<typeof answerContext>, 'summary' | 'definitions' | 'usual' | 'more'> {
  summary?: readonly (Message | string)[] | undefined;
  definitions?: MessagesByName | undefined;
  more?: Readonly<Record<string, readonly string[]>> | undefined;
  usual?:
    | {
        like: Message;
        periods?: readonly Days[] | undefined;
        left_out?: readonly (Days & { reason: Message })[] | undefined;
        middle?: (Days & { turnover: number | string; from_median: number | string }) | undefined;
      }
    | undefined;
}

/** Messages by what they are about, such as an argument or a figure. */
export type MessagesByName = Readonly<Record<string, Message | string>>;

/** The `context` of an answer as clients receive it (docs/answers.md). */
export const finishedContext = answerContext.extend({
  labels: z.record(text, z.record(text, text)).exactOptional(),
  /** With the parameters that the text was written from. */
  warnings: list(
    z.looseObject({ code: text, text }) as unknown as z.ZodType<WrittenWarning>,
  ).exactOptional(),
  complete: z.boolean().exactOptional(),
  next: toolCall.exactOptional(),
  /** How many rows were read (shown here or kept), of how many there are as far as is known. */
  read: z.object({ rows: z.int(), of: z.int().exactOptional() }).exactOptional(),
  result: z
    .object({ id: text, uri: text, rows: z.int(), expires_at: text, columns: list(columnProfile) })
    .exactOptional(),
});

/** What clients receive of these facts. */
export type FinishedContext = z.output<typeof finishedContext>;

/** What a tool answers, before it is cut to what fits a reader. */
export interface Answer {
  /** The platform's payload; for lists without its rows. */
  payload: JsonObject;
  rows?: readonly Row[];
  /** The names of the columns, where they are known without a row. */
  columns?: readonly string[];
  /** Columns that the statement which gave the rows names, in small letters. */
  written?: ReadonlySet<string>;
  /** Columns whose ids are not those that their names say: they get no names. */
  unlabelled?: readonly string[];
  /** What is drawn of the rows, which are not shown as well; else why not and what to change. */
  figure?: Figure;
  refusal?: Message;
  /** What a row is, in the plural. */
  noun?: string;
  context: AnswerContext;
  /** Present where rows exist that `rows` lacks, with the call that gets them where that is known. */
  rest?: { next?: ToolCall | undefined };
  /** Keep the rows for `read_rows` and `query` even when all of them are shown. */
  keep?: boolean;
  /** The caller wants to see no more rows than this; the others are kept. */
  showAtMost?: number | undefined;
  /** The caller wants no rows beyond `showAtMost`: these are the first of a whole list. */
  isTop?: boolean;
  /** The kept result that these rows are a slice of; whole unless the platform has rows it lacks. */
  sliceOf?: { resultId: string; isWhole: boolean };
  /** Columns that repeat what another says: not shown unless they are named. */
  repeats?: readonly string[];
  /** The call that it answers, with days for period words and ids for names. */
  toolCall: ToolCall;
  /** Requests that the platform answered for it; 0 when it came from the cache. */
  calls?: number;
}

/** What an analysis answers: `defineTool` adds where it comes from and the call, unless the answer has its own. */
export interface AnalysisAnswer extends Omit<Answer, 'context' | 'toolCall'> {
  context: Partial<AnswerContext>;
  toolCall?: ToolCall;
}

/** An answer in which everything is decided, its rows those that are shown: it only has to be written. */
export interface FinishedAnswer extends Pick<Answer, 'payload' | 'rows'> {
  noun: string;
  total?: number;
  context: FinishedContext;
}
