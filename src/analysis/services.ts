import type { Client } from '../client/client.ts';
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
import type { Survey } from './shape/known-account.ts';

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

type Origin = Pick<AnswerContext, 'source' | 'account'>;

/** Everything that a tool needs to answer: one per API key, shared by all callers. */
export interface Services {
  readonly client: Client;
  readonly log: Pick<Log, 'error' | 'debug'>;
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
