import { z } from 'zod';
import type { ProgressDeadline } from '../client/rate-limit/queue.ts';
import type { JsonObject } from '../core/json.ts';
import type { Warning } from '../core/message.ts';
import type { Decimal } from '../core/money.ts';
import type { Period } from '../core/periods.ts';
import type { Figure } from './figure/figure.ts';
import { columnProfile } from './rows/column-profile.ts';
import type { Row } from './rows/rows.ts';

export interface Progress {
  done: number;
  total?: number | undefined;
  /** Such as `read 1,200 of 4,800 orders`. */
  message: string;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** A call under way. */
export interface Call extends CallOptions {
  /** Epoch milliseconds, the same for the whole call. */
  nowMs: number;
  /** Set for calls of a statement and looks at the account: low priority, one deadline for all, cached. */
  statementDeadline?: ProgressDeadline;
  /** For all requests of the call together. */
  deadline?: ProgressDeadline;
  /** Its rows are cached for later calls, as those of a statement are. */
  sharesRows?: true;
  /** Orders and lines that were read before this moment, in epoch milliseconds, are read again. */
  readSinceMs?: number;
}

const text = z.string();
const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

const days = z.object({ from: text, to: text });

/** `timezone` is open, since a later version may have others. */
const period = days.extend({ timezone: text as z.ZodType<Period['timezone']>, given: text });

const toolCall = z.object({ tool: text, arguments: z.record(text, z.unknown()) });

export type ToolCall = z.output<typeof toolCall>;

const dayNote = z.object({
  day: text,
  note: text,
  /** The day does not count for usual figures. */
  unusual: z.literal(true).optional(),
  shop_id: z.int().optional(),
});

/** A line of a business's `tables/days.csv` (docs/definitions.md#days-with-a-story). */
export type DayNote = z.output<typeof dayNote>;

const sorted = z.object({
  by: text,
  first: z.enum(['smallest', 'largest', 'oldest', 'newest', 'a', 'z']),
});

/** How many orders' lines came from the disk, with their rows and the oldest moment of reading. */
const keptLines = z.object({
  orders: z.int(),
  of: z.int(),
  rows: z.int(),
  since: text.optional(),
});

const textsByName = z.record(text, text).readonly();

/** By the argument or figure that a text is about. */
export type TextsByName = z.output<typeof textsByName>;

/** The origin of an answer's rows, or of a table that a statement read. */
const origin = {
  /** The moment of reading, ISO 8601 with Amsterdam's offset. */
  as_of: text,
  cached: z.literal(true).optional(),
  period: period.optional(),
  reference_period: period.optional(),
  /** The meaning of arguments that were left out. */
  left_open: textsByName.optional(),
  /** Days of the period without a row, and the first three of them. */
  empty_days: z.object({ count: z.int(), days: list(text), text }).optional(),
};

/** Loose: a warning also has the parameters of its text. */
const warning = z.looseObject({ code: text, text }) as unknown as z.ZodType<Warning>;

/** The facts that a reader needs to trust an answer (docs/answers.md). */
export const answerContext = z.object({
  endpoint: text,
  source: z.enum(['live', 'sandbox']),
  account: text.optional(),
  ...origin,
  /** Names that became ids, by argument; `note` tells the place of the find, or other meanings of the name. */
  resolved: z
    .record(text, z.object({ given: text, id: z.int(), name: text, note: text.optional() }))
    .readonly()
    .optional(),
  since: z.object({ given: text, instant: text }).optional(),
  /** docs/answers.md#what-is-usual. */
  usual: z
    .object({
      like: text,
      periods: list(days).optional(),
      left_out: list(days.extend({ reason: text })).optional(),
    })
    .optional(),
  sorted: sorted.optional(),
  summary: list(text).optional(),
  notes: list(dayNote).optional(),
  order: z.record(text, z.unknown()).optional(),
  definitions: textsByName.optional(),
  more: z.record(text, list(text)).readonly().optional(),
  tables: list(
    toolCall.extend({
      ...origin,
      table: text,
      rows: z.int(),
      calls: z.int(),
      complete: z.boolean(),
      result: text.optional(),
      kept: keptLines.optional(),
    }),
  ).optional(),
  warnings: list(warning).optional(),
});

/** The `context` of an answer as clients receive it. */
export const finishedContext = answerContext.extend({
  /** Set where moments in the answer are not by Amsterdam's clock. */
  clock: z.literal('UTC').optional(),
  labels: z.record(text, z.record(text, text)).optional(),
  complete: z.boolean().optional(),
  /** Set where `complete` is false. */
  incomplete: z.enum(['rows_not_read', 'rows_not_shown']).optional(),
  next: toolCall.optional(),
  /** Rows that were read (shown or kept), and rows that exist, if known. */
  read: z.object({ rows: z.int(), of: z.int().optional() }).optional(),
  result: z
    .object({
      id: text,
      uri: text,
      csv: text,
      rows: z.int(),
      expires_at: text,
      columns: list(columnProfile),
    })
    .optional(),
});

export type FinishedContext = z.output<typeof finishedContext>;

export type WrittenTableUse = NonNullable<FinishedContext['tables']>[number];

export type AnswerContext = z.output<typeof answerContext>;

/** A name that became an id. */
export type ResolvedName = NonNullable<AnswerContext['resolved']>[string];

/** A table that a statement read. */
export type TableUse = NonNullable<AnswerContext['tables']>[number];

interface Provenance {
  context: AnswerContext;
  /** With days for period words and ids for names. */
  toolCall: ToolCall;
  /** Requests that the platform answered; 0 for an answer from the cache. */
  calls: number;
}

/** One number of a report. Facts are never added up, since some are rates. */
export interface Fact {
  /** The platform's own path, without list positions: `turnover_by_group.shop_totals.turnover_wt`. */
  measure: string;
  value: Decimal;
  /** The reference ids of its object and of outer ones (`{shop_id: 3}`); null where the platform says null. */
  ids: Readonly<Record<string, number | null>>;
  /**
   * The kinds of these ids: `shop`, `shop, turnover_group`, or `total` without any. Within a split, measure and ids
   * together occur once, unless it ends in `line`.
   */
  split: string;
  /** The position (`2`, `0.1`) in rows that the ids do not distinguish, such as rates without a `tax_rate_id`. */
  line?: string;
  /** The name of the innermost id, where the report gives one. */
  name?: string;
}

export interface RecordAnswer extends Provenance {
  kind: 'record';
  payload: JsonObject;
  /** Set for a report. */
  isReport?: true | undefined;
}

/** Rows before they are cut to what a reader gets. */
export interface FoundRows {
  /** The platform's facts besides its rows. */
  payload: JsonObject;
  rows: readonly Row[];
  /** The plural noun for a row. */
  noun: string;
  /** Set where further rows exist, with the call that gets them, if known. */
  rest?: { next?: ToolCall | undefined } | undefined;
  /** Keep the rows for `read_rows` and `query` even if all of them are shown. */
  keep?: boolean | undefined;
  /** How many rows to show; the others are dropped for a `top`, else kept. */
  wanted?: { count: number; isTop: boolean } | undefined;
  /** The kept result that these rows are a slice of; whole unless the platform has further rows. */
  sliceOf?: { resultId: string; isWhole: boolean } | undefined;
  /** Columns that repeat others, shown only on request. */
  redundantColumns?: readonly string[] | undefined;
  /** Set where a statement gave the rows. */
  statementColumns?: StatementColumns | undefined;
  /** The column whose value heads each block of rows in the text, and the lists of the payload that end the blocks. */
  blocks?: { by: string; ends: readonly string[] } | undefined;
  /** Why the rows are not drawn, and what to change. */
  refusal?: string | undefined;
  /** Set where a person gets the rows as a file. */
  file?: RequestedFile | undefined;
}

export interface RequestedFile {
  format: FileFormat;
  title?: string | undefined;
  kept?: { id: string; expiresAtMs: number } | undefined;
}

export const fileFormats = ['xlsx', 'csv'] as const;

export type FileFormat = (typeof fileFormats)[number];

export interface StatementColumns {
  /** All columns, even without rows. */
  names: readonly string[];
  /** The columns that the statement names, in lower case. */
  mentioned: ReadonlySet<string>;
  /** Columns with ids of another kind than their names say, so that ids get no labels. */
  misnamed: readonly string[];
}

export interface RowsAnswer extends Provenance, FoundRows {
  kind: 'rows';
}

/** A picture of rows; where it is too large, the rows are shown instead. */
export interface FigureAnswer extends Provenance {
  kind: 'figure';
  figure: Figure;
  drawnFrom: FoundRows;
}

export type Answer = RowsAnswer | RecordAnswer | FigureAnswer;

/** An answer to which `defineAnalysis` adds its origin and the call, unless it has its own. */
export type AnalysisAnswer =
  | Unlocated<RowsAnswer>
  | Unlocated<Omit<RecordAnswer, 'isReport'>>
  | Unlocated<FigureAnswer>;

type Unlocated<Located extends Provenance> = Omit<Located, keyof Provenance> &
  Partial<Omit<Provenance, 'context'>> & { context: Partial<AnswerContext> };
