import type { Client } from '../client/client.ts';
import type { FieldTypes } from '../core/column-type.ts';
import type { JsonObject } from '../core/json.ts';
import type { Warning } from '../core/message.ts';
import type { Endpoint } from '../endpoints/define.ts';
import type { QueryResult } from '../query/engine.ts';
import type { AnswerContext, Call, DayNote, FoundRows } from './answer.ts';
import type { Fence } from './fence.ts';
import type { OrderLines } from './lines/order-lines.ts';
import type { ProductIds } from './reference/product-ids.ts';
import type { ReferenceLists } from './reference/reference.ts';
import type { ResultStore } from './results/store.ts';
import type { Row } from './rows/rows.ts';
import type { BehaviourFinding, BehaviourName } from './survey/behaviour.ts';
import type { ColumnFindings } from './survey/shape.ts';

/** The rows of a statement with where they come from, what is known of its columns and order, and the shape of the statement. */
export interface StatementResult
  extends Pick<QueryResult, 'columns' | 'isOrdered' | 'limit' | 'shape'> {
  found: FoundRows;
  context: Omit<AnswerContext, keyof Origin | 'endpoint'>;
}

/** The days that the business has notes on, in their order; and that rows of them could not be read. */
export interface NotedDays {
  notes: readonly DayNote[];
  unread?: Warning | undefined;
}

/** Runs SQL over what a caller may see. */
export interface Statements {
  /** Requests that one call or statement may need, by the setting of the server. */
  readonly maxCalls: number;
  /**
   * One SELECT, which may need `maxCalls` requests at most.
   * @default maxCalls the setting of the server
   * @throws CommerceError whose message says what to change
   */
  run(sql: string, call: Call, maxCalls?: number): Promise<StatementResult>;
  /**
   * What is said of tables, after looks at the tools of those named, or of all.
   * @throws {InputError} where these would be more requests than may be made
   */
  tables(
    signal?: AbortSignal | undefined,
    names?: readonly string[],
    maxCalls?: number,
  ): Promise<readonly Row[]>;
  days(): Promise<NotedDays>;
}

/** What is known of the columns of a tool's answers, in the platform's names; for reports their measures. */
export interface ToolColumns extends ColumnFindings {
  /** Those of the columns that the document or openapi.json describes. */
  documented: FieldTypes;
  /** The platform describes none of them: rows may have others. */
  isOpen: boolean;
  /** No answer has shown any of them, though it was looked for. */
  isUnseen: boolean;
  /** Why its rows could not be read. */
  failed?: string | undefined;
}

/** A finding, or the words that a behaviour is open and why. */
export type KnownBehaviour = BehaviourFinding | { value?: undefined; text: string };

/**
 * What this key's account looks like, as one caller may know it: what the platform's document and openapi.json
 * say, else what its answers have shown (docs/statements.md#the-accounts-shape). Nothing rejects.
 */
export interface Survey {
  /** What is known by now; it asks nothing. */
  columnsOf(tool: string): ToolColumns;
  /** Looks at what these tools answer, where that was not done today: at most five requests each. */
  look(tools: readonly string[], signal?: AbortSignal): Promise<void>;
  /**
   * What the account does where the document is silent, with the evidence, or that it is open; undefined for a caller
   * without the toolsets of the evidence. The first to ask waits for some requests in the background, five seconds at
   * most; then nothing for a day.
   */
  behaviour(
    name: BehaviourName,
    signal?: AbortSignal | undefined,
  ): Promise<KnownBehaviour | undefined>;
  /** The same where it is known by now; it asks nothing. */
  known(name: BehaviourName): KnownBehaviour | undefined;
}

type Origin = Pick<AnswerContext, 'source' | 'account'>;

/** Everything that a tool needs to answer: one per API key, shared by all callers. */
export interface Services {
  readonly client: Client;
  readonly origin: Origin;
  readonly now: () => number;
  readonly maxRows: number;
  readonly fence: Fence;
  /** Toolsets whose endpoints the answering analysis may ask. @default those of the fence */
  readonly opened?: Fence;
  readonly hasTool: (name: string) => boolean;
  readonly reference: ReferenceLists;
  readonly results: ResultStore;
  readonly productIds: ProductIds;
  readonly survey: Survey;
  /** Widens what is known of the account by what the platform answered: its columns, words and measures. */
  readonly learn: (
    endpoint: Endpoint,
    answer: { payload: JsonObject; rows?: readonly Row[] | undefined },
  ) => void;
  readonly statements: Statements;
  /** Lines of orders that were read before; undefined where none are kept. */
  readonly orderLines?: OrderLines | undefined;
}
