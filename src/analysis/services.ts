import type { Client } from '../client/client.ts';
import type { FieldTypes } from '../core/column-type.ts';
import type { JsonObject } from '../core/json.ts';
import type { Log, Warning } from '../core/message.ts';
import type { Endpoint } from '../endpoints/define.ts';
import type { QueryResult } from '../query/engine.ts';
import type { AnswerContext, Call, DayNote, FoundRows } from './answer.ts';
import type { Fence } from './fence.ts';
import type { OrderLines } from './lines/order-lines.ts';
import type { ProductIds } from './reference/product-ids.ts';
import type { ReferenceLists } from './reference/reference.ts';
import type { ResultStore } from './results/store.ts';
import type { Row } from './rows/rows.ts';
import type { ColumnFindings } from './shape/shape.ts';

export interface StatementResult
  extends Pick<QueryResult, 'columns' | 'isOrdered' | 'limit' | 'shape'> {
  found: FoundRows;
  context: Omit<AnswerContext, keyof Origin | 'endpoint'>;
}

/** Days on which the business has notes, sorted; `unread` warns of rows that could not be read. */
export interface NotedDays {
  notes: readonly DayNote[];
  unread?: Warning | undefined;
}

/** Runs SQL over the tables of a caller. */
export interface Statements {
  /** The server's setting: requests that one call or statement may need. */
  readonly maxCalls: number;
  /**
   * @param maxCalls requests that the SELECT may need. @default the server's setting
   * @throws {CommerceError} whose message says what to change
   */
  run(sql: string, call: Call, maxCalls?: number): Promise<StatementResult>;
  /**
   * The rows of `tables`, after looks at the tools of the named tables, or of all.
   * @throws {InputError} where the looks would need more requests than `maxCalls`
   */
  tables(
    signal?: AbortSignal | undefined,
    names?: readonly string[],
    maxCalls?: number,
  ): Promise<readonly Row[]>;
  days(): Promise<NotedDays>;
}

/** Behaviours of the platform that the document leaves open (docs/platform.md#what-is-not-documented). */
export type BehaviourName = 'internal_orders' | 'product_sales_returns' | 'walk_in_customer';

/** `text` says how the account behaves, with the evidence. */
export interface BehaviourFinding {
  value: string | number;
  text: string;
}

/** The columns of a tool's answers in the platform's names; for reports their measures. */
export interface ToolColumns extends ColumnFindings {
  /** The columns that the document or openapi.json describes. */
  documented: FieldTypes;
  /** The platform describes no columns, so rows may have further ones. */
  isOpen: boolean;
  /** A look was made, and no answer has ever had a row. */
  isUnseen: boolean;
  /** Why its rows could not be read. */
  failed?: string | undefined;
}

/** A finding, or the reason why the behaviour is open. */
export type KnownBehaviour = BehaviourFinding | { value?: undefined; text: string };

/**
 * Knows the account of this key for one caller: from the platform's document and openapi.json, else from its answers
 * (docs/statements.md#the-accounts-shape). No method rejects.
 */
export interface Survey {
  /** Makes no request. */
  columnsOf(tool: string): ToolColumns;
  /** Looks at these tools' answers once a day, with at most five requests each. */
  look(tools: readonly string[], signal?: AbortSignal): Promise<void>;
  /**
   * Undefined for a caller without the toolsets of the evidence. The first caller of a day waits for some requests, five
   * seconds at most.
   */
  behaviour(
    name: BehaviourName,
    signal?: AbortSignal | undefined,
  ): Promise<KnownBehaviour | undefined>;
  /** Like `behaviour`, without a request. */
  known(name: BehaviourName): KnownBehaviour | undefined;
}

type Origin = Pick<AnswerContext, 'source' | 'account'>;

/** Everything that a tool needs to answer. */
export interface Services {
  readonly client: Client;
  readonly log: Pick<Log, 'error' | 'debug'>;
  readonly origin: Origin;
  readonly now: () => number;
  readonly maxRows: number;
  readonly fence: Fence;
  /** Toolsets whose endpoints the current analysis may ask. @default those of the fence */
  readonly opened?: Fence;
  readonly hasTool: (name: string) => boolean;
  readonly reference: ReferenceLists;
  readonly results: ResultStore;
  readonly productIds: ProductIds;
  readonly survey: Survey;
  /** Learns the account's columns, words and measures from an answer. */
  readonly learn: (
    endpoint: Endpoint,
    answer: { payload: JsonObject; rows?: readonly Row[] | undefined },
  ) => void;
  readonly statements: Statements;
  /** Undefined where no lines are kept. */
  readonly orderLines?: OrderLines | undefined;
}
