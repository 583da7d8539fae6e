/** Failures and warnings of requests to the platform. `endpoint` is a text like `GET /api/order/{id}`. */
import type { JsonCounts } from '../core/json.ts';
import { type Finished, messagesOf } from '../core/message.ts';
import { countNoun, quote, sayCount, sentences } from '../core/text.ts';

interface Answered {
  endpoint: string;
  status: number;
}

/** The words of the platform on a failure (docs/platform.md#errors): without secrets, of any length. */
interface Refusal extends Answered {
  detail: string;
  traceId: string | undefined;
}

interface UnreadableAnswer extends Answered {
  flaw: AnswerFlaw;
  content: string;
}

interface FailedConnection {
  endpoint: string;
  origin: string;
  /** Such as `ECONNRESET`, or the status of a proxy that refused. */
  cause: string;
  fault: ConnectionFault;
}

interface BudgetWait {
  endpoint: string;
  /** The spent budget: that of the key, the share of this caller, or the part kept for others. */
  of: 'key' | 'caller' | 'others';
  /** Milliseconds until there is budget again. */
  waitMs: number;
  /** The moment of that, ISO 8601 with Amsterdam's offset. */
  at: string;
  /** The sentence of the last refusal by the platform. */
  refusal: string | undefined;
}

type Shortfall =
  | { why: 'list_stopped'; reason: Finished }
  | { why: 'feed_stopped'; rows: number; reason: Finished }
  | {
      why: 'more_than_reported' | 'fewer_than_reported' | 'fewer_given';
      rows: number;
      total: number;
    }
  | { why: 'cursor_stands_still' };

/** Reason of a failed connection; `no_tls`: the port speaks plain http. */
export type ConnectionFault = 'connection' | 'unknown_name' | 'certificate' | 'no_tls' | 'proxy';

export type AnswerFlaw =
  | { kind: 'ended_early'; bytes: number }
  | { kind: 'not_utf8' | 'empty' | 'not_json' | 'not_object' }
  | { kind: 'other_type'; type: string | undefined }
  /** The answer exceeds `max` of something. */
  | { kind: keyof JsonCounts; max: number };

export const clientMessages = messagesOf({
  // No answer
  not_connected: ({ endpoint, origin, cause, fault }: FailedConnection) => {
    const words = connectionFaults[fault] ?? connectionCauses[cause] ?? 'the connection failed';
    const reason = `${words}${cause === '' ? '' : ` (${cause})`}`;
    return fault === 'proxy'
      ? `${endpoint}: the proxy before ${origin} ${/^\d/.test(cause) ? `answered ${cause}` : `was not reached: ${reason}`}.`
      : `${endpoint}: ${reason} at ${origin}.`;
  },
  answer_late: ({ endpoint, seconds }: { endpoint: string; seconds: number }) =>
    `${endpoint}: no whole answer within ${seconds} s.`,
  request_cancelled: ({ endpoint }: { endpoint: string }) =>
    `${endpoint}: cancelled before it was answered.`,
  client_closed: 'The client is closed; nothing is asked any more.',

  // Answers that fail, or cannot be read
  refused: ({ endpoint, status, detail, traceId }: Refusal) =>
    `${endpoint} answered ${status}: ${quote(detail, 300) || 'no reason given'}${traceId === undefined ? '' : ` (trace_id ${quote(traceId, 64)})`}`,
  redirected: ({ endpoint, status, origin }: Answered & { origin: string | undefined }) =>
    `${endpoint} answered ${status}, a redirect${origin === undefined ? '' : ` to ${quote(origin)}`}, which is not followed; check the configured address.`,
  answer_too_large: ({ endpoint, bytes }: { endpoint: string; bytes: number }) =>
    `${endpoint} answered with more than ${Math.round(bytes / 1_000_000)} MB; ask for less at once.`,
  unreadable_answer: ({ endpoint, status, flaw, content }: UnreadableAnswer) => {
    const beginning = quote(content, 120);
    return `${endpoint} answered ${status}, but the answer ${sayFlaw(flaw)}${beginning === '' ? '' : `: "${beginning}"`}`;
  },
  no_list: ({ endpoint }: { endpoint: string }) =>
    `${endpoint} answered without a list of rows in "data".`,

  // No token
  key_wrong:
    'The authorization server refused this API key: it was revoked or rolled, or its id or secret is wrong. A person must issue a new key on the platform and configure it here.',
  exchange_late: ({ seconds }: { seconds: number }) =>
    `No access token: the authorization server did not answer within ${seconds} s.`,
  exchange_refused: ({ endpoint, status, detail }: Answered & { detail: string }) =>
    `No access token: ${endpoint} answered ${status}: ${quote(detail, 120) || 'no reason given'}`,
  no_access_token: ({ endpoint }: { endpoint: string }) =>
    `No access token: ${endpoint} gave no usable access_token.`,
  no_token_endpoint: ({ endpoint }: { endpoint: string }) =>
    `No access token: ${endpoint} names no token_endpoint; check the address of the authorization server.`,
  other_token_endpoint: (given: { endpoint: string; named: string; expected: string }) =>
    `No access token: ${given.endpoint} names a token endpoint at ${quote(given.named)}, not at ${given.expected}: the secret is not sent there.`,

  // No place, no budget
  all_connections_busy: ({ endpoint }: { endpoint: string }) =>
    `${endpoint}: other requests kept every connection busy; ask again when they are done.`,
  budget_spent: ({ endpoint, of, waitMs, at, refusal }: BudgetWait) => {
    const spent = {
      key: 'the rate budget of this API key is used up',
      others: 'what is left of the rate budget is kept for others who are asking',
      caller: "this caller's share of the rate budget is used up",
    };
    // Long waits are given as a moment, not as seconds.
    const isLong = waitMs > 600_000;
    const when = isLong
      ? `at ${at.slice(0, 16).replace('T', ' ')}`
      : `in ${Math.ceil(waitMs / 1000)} s`;
    return sentences(`${endpoint}: ${spent[of]}; ask again ${when}.`, refusal);
  },

  // Lists and change feeds that are read to their end
  not_whole: (shortfall: Shortfall) => {
    switch (shortfall.why) {
      case 'list_stopped':
        return `Stopped before the end: ${shortfall.reason.text}`;
      case 'feed_stopped':
        return `Stopped at ${shortfall.rows} rows: ${shortfall.reason.text} next_cursor goes on.`;
      case 'more_than_reported':
        return `The platform reports ${shortfall.total} rows but gave ${shortfall.rows}; there may be more.`;
      case 'fewer_than_reported':
        return `Only ${shortfall.rows} different rows could be read of the ${shortfall.total} reported.`;
      case 'fewer_given':
        return `The platform reports ${shortfall.total} rows but gave ${shortfall.rows}; there may be more, and sums over these rows are not totals.`;
      case 'cursor_stands_still':
        return 'The feed says that more follows, but its cursor does not move on.';
    }
  },
  /** The bound of one list, or of all lists of one caller or of all callers. */
  long_reads_too_large: ({ megabytes, of }: { megabytes: number; of: 'list' | 'caller' | 'all' }) =>
    ({
      list: `${megabytes} MB of it were read, the most of one list: ask for fewer days, or fewer rows.`,
      caller: `your lists that are read at once have ${megabytes} MB, the most: ask for one after the other.`,
      all: `all lists that are read at once have ${megabytes} MB, the most: ask again in a moment.`,
    })[of],
  /** `total` is of a list; a change feed continues by its cursor. */
  row_limit: ({ rows, total }: { rows: number; total?: number }) =>
    `Stopped at ${rows} rows, the most one call may read${total === undefined ? '; next_cursor goes on' : `, of ${total}`}.`,
  /** `rows`: smallest and largest size of the list; without it rows may be missing. */
  moved_while_reading: ({ rows }: { rows?: readonly [min: number, max: number] }) =>
    rows === undefined
      ? 'Rows left the list while it was read; some that are still in it may be missing.'
      : `The list changed while it was read (it had ${rows[0]} to ${rows[1]} rows).`,
  repeated_rows: ({ repeated, rows }: { repeated: number; rows: number }) =>
    `${countNoun(repeated, 'row')} came again and ${repeated === 1 ? 'is' : 'are'} counted once, in the last version: ${countNoun(rows, 'row')} in all.`,
});

const connectionFaults: Partial<Record<ConnectionFault, string>> = {
  certificate: 'the certificate is not trusted',
  no_tls: 'the port speaks plain http, not https',
};

const connectionCauses: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ENOTFOUND: 'the name cannot be resolved',
  EAI_AGAIN: 'the name cannot be resolved',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'the connection was closed before an answer',
};

function sayFlaw(flaw: AnswerFlaw): string {
  switch (flaw.kind) {
    case 'ended_early':
      return `was cut off after ${flaw.bytes} bytes`;
    case 'not_utf8':
      return 'is not UTF-8 text';
    case 'empty':
      return 'is empty';
    case 'other_type':
      return `is ${quote(flaw.type ?? 'of no type')}, not JSON`;
    case 'not_json':
      return 'is cut off or no JSON';
    case 'not_object':
      return 'is neither an object nor a list';
    case 'depth':
      return `is nested more than ${flaw.max} levels deep`;
    case 'keysPerObject':
      return `has an object of more than ${sayCount(flaw.max)} keys`;
    case 'rowsPerList':
      return 'has a list of far more rows than were asked for';
    case 'values':
      return `holds more than ${sayCount(flaw.max)} values: ask for less at once`;
    case 'keys':
      return `holds more than ${sayCount(flaw.max)} different keys`;
  }
}
