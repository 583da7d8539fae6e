/** What there is to say of requests to the platform. `endpoint` is such as `GET /api/order/{id}`. */
import type { JsonCounts } from '../core/json.ts';
import type { Message } from '../core/message.ts';

declare module '../core/message.ts' {
  interface Messages {
    // No answer
    not_connected: {
      endpoint: string;
      origin: string;
      /** Such as `ECONNRESET`, or the status of a proxy that refused. */
      cause: string;
      fault: ConnectionFault;
    };
    answer_late: { endpoint: string; seconds: number };
    request_cancelled: { endpoint: string };
    client_closed: object;
    // An answer that was none. What it said is without secrets and may be of any length.
    refused: Refusal;
    redirected: Answered & { origin: string | undefined };
    answer_too_large: { endpoint: string; bytes: number };
    unreadable_answer: Answered & { flaw: AnswerFlaw; content: string };
    no_list: { endpoint: string };
    // No token
    exchange_late: { seconds: number };
    key_wrong: object;
    exchange_refused: Answered & { detail: string };
    no_token_endpoint: { endpoint: string };
    other_token_endpoint: { endpoint: string; named: string; expected: string };
    no_access_token: { endpoint: string };
    // No place, no budget
    all_connections_busy: { endpoint: string };
    budget_spent: BudgetWait;
    budget_shared: BudgetWait;
    share_spent: BudgetWait;
    // Lists and change feeds that were not read whole
    not_whole:
      | { why: 'list_stopped'; reason: Message }
      | { why: 'feed_stopped'; rows: number; reason: Message }
      | {
          why: 'more_than_reported' | 'fewer_than_reported' | 'fewer_given';
          rows: number;
          total: number;
        }
      | { why: 'cursor_stands_still' };
    /** Of the tables of a statement. */
    /** `total` of a list; a change feed goes on by its cursor. */
    /** A list that is read to its end, or all that are read at once, of one caller or of all. */
    long_reads_too_large: { megabytes: number; of: 'list' | 'caller' | 'all' };
    row_limit: { rows: number; total?: number };
    /** The least and the most `rows` that the list had; without them, that rows may be missing. */
    moved_while_reading: { rows?: readonly [least: number, most: number] };
    repeated_rows: { repeated: number; rows: number };
  }
}

interface Answered {
  endpoint: string;
  status: number;
}

/** What the platform said of a failure (docs/platform.md#errors). */
interface Refusal extends Answered {
  detail: string;
  traceId: string | undefined;
}

interface BudgetWait {
  endpoint: string;
  /** Until there is some again. */
  waitMs: number;
  /** The moment in Amsterdam, as ISO 8601. */
  at: string;
  /** The last answer for want of budget. */
  refusal: Message | undefined;
}

/** Why there was no connection; `no_tls`: the port speaks plain http. */
export type ConnectionFault = 'connection' | 'unknown_name' | 'certificate' | 'no_tls' | 'proxy';

/** Why an answer cannot be read. */
export type AnswerFlaw =
  | { kind: 'ended_early'; bytes: number }
  | { kind: 'not_utf8' | 'empty' | 'not_json' | 'not_object' }
  | { kind: 'other_type'; type: string | undefined }
  /** It holds more than `most` of something. */
  | { kind: keyof JsonCounts; most: number };
