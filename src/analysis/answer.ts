import { z } from 'zod';
import type { ProgressDeadline } from '../client/rate-limit/queue.ts';
import type { JsonObject } from '../core/json.ts';
import type { Period } from '../core/periods.ts';
import type { WarningCode } from '../core/warning.ts';
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
  /** When it was asked, in epoch milliseconds: a whole call knows one time. */
  nowMs: number;
  /**
   * Of one of many calls that read for a statement: it gives way to single questions, waits as long as
   * the whole read gets on, and what it reads is kept for a while.
   */
  bulk?: ProgressDeadline;
  /** Orders and their lines are not taken from what was read before, in epoch milliseconds. */
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

const nextCall = z.object({ tool: text, arguments: z.record(text, z.unknown()) });

/** A tool call that gets what is not in this answer. */
export type NextCall = z.output<typeof nextCall>;

/** The note says where it was found. */
const resolvedName = z.object({
  given: text,
  id: z.int(),
  name: text,
  note: text.exactOptional(),
});

/** A name that became an id. */
export type ResolvedName = z.output<typeof resolvedName>;

/** Days that do not count, and why. */
const leftOut = days.extend({ reason: text });

export type LeftOut = z.output<typeof leftOut>;

const dayNote = z.object({
  day: text,
  note: text,
  /** It tells nothing about what is usual. */
  unusual: z.literal(true).exactOptional(),
  /** The shop that it is about, where it is not about all. */
  shop_id: z.int().exactOptional(),
});

/** What a business noted of a day, in its `tables/days.csv` (docs/definitions.md#days-with-a-story). */
export type DayNote = z.output<typeof dayNote>;

/** What an answer and a table that a statement read say alike of where they come from. */
const origin = {
  /** When it was read, ISO 8601 with Amsterdam offset. */
  as_of: text,
  /** True when it came from the cache. */
  cached: z.literal(true).exactOptional(),
  period: period.exactOptional(),
  /** For comparisons: what `period` was held against. */
  reference_period: period.exactOptional(),
  /** What arguments that were left out meant for this answer. */
  left_open: texts.exactOptional(),
  /** Days of the period on which no row was made, where the rows tell: how many, the first three, and a text. */
  empty_days: z.object({ count: z.int(), days: list(text), text }).exactOptional(),
};

const tableUse = nextCall.extend({
  ...origin,
  /** As the statement names it; its arguments are as resolved, of many values how many. */
  table: text,
  rows: z.int(),
  /** Requests that it took. */
  calls: z.int(),
  complete: z.boolean(),
  /** The kept result that holds its rows. */
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
  /** Such as `GET /api/order`; the analysis tools name themselves. */
  endpoint: text,
  source: z.enum(['live', 'sandbox']),
  /** What the server calls the account, where it has a name for it. */
  account: text.exactOptional(),
  resolved: z.record(text, resolvedName).exactOptional(),
  /** The moment from which changes were asked for, as given and as the instant that it is. */
  since: z.object({ given: text, instant: text }).exactOptional(),
  /** What is usual, by which periods (docs/answers.md#what-is-usual). */
  usual: z
    .object({
      /** What the periods that count are called together, and which they are. */
      like: text,
      periods: list(days).exactOptional(),
      left_out: list(leftOut).exactOptional(),
      /** What the parts of a difference are against. */
      middle: days.extend({ turnover: number, from_median: number }).exactOptional(),
    })
    .exactOptional(),
  /** What the figures say, in sentences. */
  summary: list(text).exactOptional(),
  /** What the business noted of the days that were read. */
  notes: list(dayNote).exactOptional(),
  /** Of order lines: the id, the number and the amounts of their order. */
  order: z.record(text, z.unknown()).exactOptional(),
  /** What figures are that are computed or easily misread, by their names. */
  definitions: texts.exactOptional(),
  /** What the platform also gives and was not asked for, by the argument that asks for it. */
  more: z.record(text, list(text)).readonly().exactOptional(),
  /** What a statement read. */
  tables: list(tableUse).exactOptional(),
  warnings: list(z.object({ code: text as z.ZodType<WarningCode>, text })).exactOptional(),
});

/** The facts about an answer that a reader needs to trust it (docs/answers.md). */
export type AnswerContext = z.output<typeof answerContext>;

/** The `context` of an answer as clients receive it (docs/answers.md). */
export const finishedContext = answerContext.extend({
  labels: z.record(text, z.record(text, text)).exactOptional(),
  complete: z.boolean().exactOptional(),
  next: nextCall.exactOptional(),
  /** How many rows were read (shown here or kept), of how many there are as far as is known. */
  read: z.object({ rows: z.int(), of: z.int().exactOptional() }).exactOptional(),
  result: z
    .object({ id: text, uri: text, rows: z.int(), expires_at: text, columns: list(columnProfile) })
    .exactOptional(),
});

export type FinishedContext = z.output<typeof finishedContext>;

/** An answer in which everything is decided, its rows those that are shown: it only has to be written. */
export interface FinishedAnswer extends Pick<Answer, 'payload' | 'rows'> {
  /** What a row is, in the plural. */
  noun: string;
  /** How many rows there are in all, as far as is known. */
  total?: number;
  context: FinishedContext;
}

/** The answer to a question, before it is cut to what fits a reader. */
export interface Answer {
  /** The platform's payload; for lists without its rows. */
  payload: JsonObject;
  /** The rows of a list, as many as were read. */
  rows?: readonly Row[];
  /** The names of the columns, where they are known without a row. */
  columns?: readonly string[];
  /** Columns that the statement which gave the rows names, in small letters. */
  written?: ReadonlySet<string>;
  /** Columns whose ids are not those that their names say: they get no names. */
  unlabelled?: readonly string[];
  /** What is drawn of the rows, which are not shown as well; else why not and what to change. */
  figure?: Figure;
  refusal?: string;
  /** What a row is, in the plural. */
  noun?: string;
  context: AnswerContext;
  /** Whether rows exist that `rows` lacks, and how to get them where that is known. */
  rest?: { next?: NextCall | undefined };
  /** Keep the rows for `read_rows` and `query` even when all of them are shown. */
  keep?: boolean;
  /** The caller wants no more rows than this in the answer; the others are kept. */
  showAtMost?: number | undefined;
  /** The rows beyond `showAtMost` were not asked for: these are the first of a whole list. */
  isTop?: boolean;
  /** The kept result that these rows are a slice of; whole unless the platform has rows it lacks. */
  sliceOf?: { resultId: string; isWhole: boolean };
  /** Columns that say again what another says in each row: not shown unless they are named. */
  repeats?: readonly string[];
  /** The tool and arguments that gave the rows, for the result's memory of where it came from. */
  asked: NextCall;
  /** Requests that the platform answered for it; 0 when it came from the cache. */
  calls?: number;
}
