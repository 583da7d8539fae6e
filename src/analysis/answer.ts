import { z } from 'zod';
import type { ProgressDeadline } from '../client/rate-limit/queue.ts';
import type { JsonObject } from '../core/json.ts';
import type { Warning } from '../core/message.ts';
import type { Decimal } from '../core/money.ts';
import type { Period } from '../core/periods.ts';
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
  /** The bound of all requests of the call together. */
  deadline?: ProgressDeadline;
  /** Rows that it reads serve the calls after it, as those of a statement do. */
  sharesRows?: true;
  /** Orders and their lines that were read before this moment, in epoch milliseconds, are read again. */
  readSinceMs?: number;
}

const text = z.string();
const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

const days = z.object({ from: text, to: text });

/** The schema leaves words of the server open: a later version may have more. */
const period = days.extend({ timezone: text as z.ZodType<Period['timezone']>, given: text });

const toolCall = z.object({ tool: text, arguments: z.record(text, z.unknown()) });

/** A tool and the arguments for it. */
export type ToolCall = z.output<typeof toolCall>;

const dayNote = z.object({
  day: text,
  note: text,
  /** It tells nothing about what is usual. */
  unusual: z.literal(true).optional(),
  shop_id: z.int().optional(),
});

/** What a business noted of a day, in its `tables/days.csv` (docs/definitions.md#days-with-a-story). */
export type DayNote = z.output<typeof dayNote>;

/** By which column rows are sorted, and which of its values comes first. */
const sorted = z.object({
  by: text,
  first: z.enum(['smallest', 'largest', 'oldest', 'newest', 'a', 'z']),
});

/** Of order lines: the orders whose lines were read before, with their rows and since when they are kept. */
const keptLines = z.object({
  orders: z.int(),
  of: z.int(),
  rows: z.int(),
  since: text.optional(),
});

const textsByName = z.record(text, text).readonly();

/** Texts by what they are about, such as an argument or a figure. */
export type TextsByName = z.output<typeof textsByName>;

/** Where rows come from: those of an answer, or of a table that a statement read. */
const origin = {
  /** When it was read, ISO 8601 with Amsterdam offset. */
  as_of: text,
  cached: z.literal(true).optional(),
  period: period.optional(),
  reference_period: period.optional(),
  /** The meaning of arguments that were left out. */
  left_open: textsByName.optional(),
  /** Days of the period on which no row was made, where the rows tell: how many, and the first three. */
  empty_days: z.object({ count: z.int(), days: list(text), text }).optional(),
};

/** With the parameters that the text was written from. */
const warning = z.looseObject({ code: text, text }) as unknown as z.ZodType<Warning>;

/** The facts about an answer that a reader needs to trust it (docs/answers.md says what each is). */
export const answerContext = z.object({
  endpoint: text,
  source: z.enum(['live', 'sandbox']),
  account: text.optional(),
  ...origin,
  /** Names that became ids, by argument; `note`: where one was found, or what else is called so. */
  resolved: z
    .record(text, z.object({ given: text, id: z.int(), name: text, note: text.optional() }))
    .readonly()
    .optional(),
  since: z.object({ given: text, instant: text }).optional(),
  /** The periods that say what is usual (docs/answers.md#what-is-usual). */
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
  /** By what they are about, such as a figure. */
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
  /** Of the moments in rows, payload and profile, where that is not Amsterdam's. */
  clock: z.literal('UTC').optional(),
  labels: z.record(text, z.record(text, text)).optional(),
  complete: z.boolean().optional(),
  /** Of an answer that is not: whether rows were not read, or were read and are not shown. */
  incomplete: z.enum(['rows_not_read', 'rows_not_shown']).optional(),
  next: toolCall.optional(),
  /** How many rows were read (shown here or kept), of how many there are as far as is known. */
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

/** What clients receive of an answer's facts. */
export type FinishedContext = z.output<typeof finishedContext>;

/** A table that a statement read, as clients receive it. */
export type WrittenTableUse = NonNullable<FinishedContext['tables']>[number];

/** The facts of an answer before they are finished for clients. */
export type AnswerContext = z.output<typeof answerContext>;

/** A name that became an id. */
export type ResolvedName = NonNullable<AnswerContext['resolved']>[string];

/** A table that a statement read: what it is, how much of it there is and how fresh it is. */
export type TableUse = NonNullable<AnswerContext['tables']>[number];

interface Provenance {
  context: AnswerContext;
  /** With days for period words and ids for names. */
  toolCall: ToolCall;
  /** Requests that the platform answered for it; 0 when it came from the cache. */
  calls: number;
}

/** One number of a report. Facts are passed on as they came and never added up: rates are facts too. */
export interface Fact {
  /** The platform's own path, without list positions: `turnover_by_group.shop_totals.turnover_wt`. */
  measure: string;
  value: Decimal;
  /** The reference ids of its object and of those around it (`{shop_id: 3}`); null where the platform says that there is none. */
  ids: Readonly<Record<string, number | null>>;
  /**
   * The kinds of these ids: `shop`, `shop, turnover_group`, or `total` without any. Within a split, measure
   * and ids together occur once, but for one that ends in `line`.
   */
  split: string;
  /** The position (`2`, `0.1`) in rows that the ids do not distinguish, such as rates without a `tax_rate_id`. */
  line?: string;
  /** The name of the innermost id, where the report gives one. */
  name?: string;
}

/** One object: a record, or a report. */
export interface RecordAnswer extends Provenance {
  kind: 'record';
  payload: JsonObject;
  /** A report is read as facts. */
  isReport?: true | undefined;
}

/** Rows, before they are cut to what fits a reader. */
export interface FoundRows {
  /** What the platform says beside its rows. */
  payload: JsonObject;
  rows: readonly Row[];
  /** What a row is, in the plural. */
  noun: string;
  /** Present where rows exist that `rows` lacks, with the call that gets them where that is known. */
  rest?: { next?: ToolCall | undefined } | undefined;
  /** Keep the rows for `read_rows` and `query` even when all of them are shown. */
  keep?: boolean | undefined;
  /** So many rows are wanted; `isTop`: the others are not, else they are kept. */
  wanted?: { count: number; isTop: boolean } | undefined;
  /** The kept result that these rows are a slice of; whole unless the platform has rows it lacks. */
  sliceOf?: { resultId: string; isWhole: boolean } | undefined;
  /** Columns that say again what another says: shown where they are requested. */
  redundantColumns?: readonly string[] | undefined;
  /** What is known of the columns where a statement gave the rows. */
  ofStatement?: StatementColumns | undefined;
  /** The column whose value heads each block of rows in the text, and the lists of the payload that end the blocks. */
  blocks?: { by: string; ends: readonly string[] } | undefined;
  /** Why the rows are not drawn, and what to change. */
  refusal?: string | undefined;
  /** A person gets the rows as this file. */
  file?: RequestedFile | undefined;
}

/** A file of rows: its format, the title that names it, and the kept result that the rows are. */
export interface RequestedFile {
  format: FileFormat;
  title?: string | undefined;
  kept?: { id: string; expiresAtMs: number } | undefined;
}

export const fileFormats = ['xlsx', 'csv'] as const;

export type FileFormat = (typeof fileFormats)[number];

/** The columns of a statement's rows. */
export interface StatementColumns {
  /** All of them, be there rows or none. */
  names: readonly string[];
  /** Those that it names, in small letters. */
  mentioned: ReadonlySet<string>;
  /** Columns whose ids are not those that their names say: they get no names. */
  misnamed: readonly string[];
}

/** Rows. */
export interface RowsAnswer extends Provenance, FoundRows {
  kind: 'rows';
}

/** A picture of rows; where it is too large, the rows are the answer. */
export interface FigureAnswer extends Provenance {
  kind: 'figure';
  figure: Figure;
  drawnFrom: FoundRows;
}

/** What a tool answers. */
export type Answer = RowsAnswer | RecordAnswer | FigureAnswer;

/** What an analysis answers: `defineAnalysis` adds where it comes from and the call, unless the answer has its own. */
export type AnalysisAnswer =
  | Unlocated<RowsAnswer>
  | Unlocated<Omit<RecordAnswer, 'isReport'>>
  | Unlocated<FigureAnswer>;

type Unlocated<It extends Provenance> = Omit<It, keyof Provenance> &
  Partial<Omit<Provenance, 'context'>> & { context: Partial<AnswerContext> };
