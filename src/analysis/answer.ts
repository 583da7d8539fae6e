import type { ProgressDeadline } from '../client/rate-limit/queue.ts';
import type { Days } from '../core/calendar.ts';
import type { JsonObject } from '../core/json.ts';
import type { Period } from '../core/periods.ts';
import type { Warning } from '../core/warning.ts';
import type { Figure } from './figure/figure.ts';
import type { Labels } from './reference/reference.ts';
import type { ColumnProfile } from './rows/column-profile.ts';
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

/** A tool call that gets what is not in this answer. */
export interface NextCall {
  tool: string;
  arguments: JsonObject;
}

/** A name that became an id; the note says where it was found. */
export interface ResolvedName {
  given: string;
  id: number;
  name: string;
  note?: string;
}

/** A table that a statement read: what it is, how much of it there is and how fresh it is. */
export interface TableUse
  extends NextCall,
    Pick<
      AnswerContext,
      'period' | 'reference_period' | 'as_of' | 'cached' | 'left_open' | 'empty_days'
    > {
  /** As the statement names it; its arguments are as resolved, of many values how many. */
  table: string;
  rows: number;
  /** Requests that it took. */
  calls: number;
  complete: boolean;
  /** The kept result that holds its rows. */
  result?: string;
  /** Of order lines: the orders whose lines were read before, with their rows and since when they are kept. */
  kept?: { orders: number; of: number; rows: number; since?: string };
}

/** Days that do not count, and why. */
export interface LeftOut extends Days {
  reason: string;
}

/** What a business noted of a day, in its `tables/days.csv` (docs/definitions.md#days-with-a-story). */
export interface DayNote {
  day: string;
  note: string;
  /** It tells nothing about what is usual. */
  unusual?: true;
  /** The shop that it is about, where it is not about all. */
  shop_id?: number;
}

/** The facts about an answer that a reader needs to trust it (docs/answers.md). */
export interface AnswerContext {
  /** Such as `GET /api/order`; the analysis tools name themselves. */
  endpoint: string;
  source: 'live' | 'sandbox';
  /** What the server calls the account, where it has a name for it. */
  account?: string;
  /** When it was read, ISO 8601 with Amsterdam offset. */
  as_of: string;
  /** True when it came from the cache. */
  cached?: true;
  period?: Period;
  /** For comparisons: what `period` was held against. */
  reference_period?: Period;
  resolved?: Record<string, ResolvedName>;
  /** Days of the period on which no row was made, where the rows tell: how many, the first three, and a text. */
  empty_days?: { count: number; days: readonly string[]; text: string };
  /** What arguments that were left out meant for this answer. */
  left_open?: Readonly<Record<string, string>>;
  /** The moment from which changes were asked for, as given and as the instant that it is. */
  since?: { given: string; instant: string };
  /** What is usual, by which periods (docs/answers.md#what-is-usual). */
  usual?: {
    /** What the periods that count are called together, and which they are. */
    like: string;
    periods?: readonly Days[];
    left_out?: readonly LeftOut[];
    /** What the parts of a difference are against. */
    middle?: Days & { turnover: number | string; from_median: number | string };
  };
  /** What the figures say, in sentences. */
  summary?: readonly string[];
  /** What the business noted of the days that were read. */
  notes?: readonly DayNote[];
  /** Of order lines: the id, the number and the amounts of their order. */
  order?: JsonObject;
  /** What figures are that are computed or easily misread, by their names. */
  definitions?: Readonly<Record<string, string>>;
  /** What the platform also gives and was not asked for, by the argument that asks for it. */
  more?: Readonly<Record<string, readonly string[]>>;
  /** What a statement read. */
  tables?: readonly TableUse[];
  warnings?: readonly Warning[];
}

/** The `context` of an answer as clients receive it (docs/answers.md). */
export interface FinishedContext extends AnswerContext {
  labels?: Labels;
  complete?: boolean;
  next?: NextCall;
  /** How many rows were read (shown here or kept), of how many there are as far as is known. */
  read?: { rows: number; of?: number };
  result?: {
    id: string;
    uri: string;
    rows: number;
    expires_at: string;
    columns: readonly ColumnProfile[];
  };
}

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
