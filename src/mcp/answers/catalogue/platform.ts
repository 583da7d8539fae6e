/** What is said of requests to the platform that failed, and of lists that were not read whole. */
import type { AnswerFlaw } from '../../../client/messages.ts';
import type { Messages } from '../../../core/message.ts';
import { countNoun, quote, sayCount } from '../../../core/text.ts';
import { type Reader, sentences, type Texts } from './reader.ts';

export const platformTexts = {
  refused: ({ endpoint, status, detail, traceId }) =>
    `${endpoint} answered ${status}: ${quote(detail, 300) || 'no reason given'}${traceId === undefined ? '' : ` (trace_id ${quote(traceId, 64)})`}`,
  redirected: ({ endpoint, status, origin }) =>
    `${endpoint} answered ${status}, a redirect${origin === undefined ? '' : ` to ${quote(origin)}`}, which is not followed; check the configured address.`,
  not_connected: ({ endpoint, origin, cause }) => {
    const reason = connectionCauses[cause] ?? 'the connection failed';
    return `${endpoint}: ${reason}${cause === '' ? '' : ` (${cause})`} at ${origin}.`;
  },
  answer_late: ({ endpoint, seconds }) => `${endpoint}: no whole answer within ${seconds} s.`,
  answer_too_large: ({ endpoint, bytes }) =>
    `${endpoint} answered with more than ${Math.round(bytes / 1_000_000)} MB; ask for less at once.`,
  unreadable_answer: ({ endpoint, status, flaw, content }) => {
    const beginning = quote(content, 120);
    return `${endpoint} answered ${status}, but the answer ${sayFlaw(flaw)}${beginning === '' ? '' : `: "${beginning}"`}`;
  },
  no_list: ({ endpoint }) => `${endpoint} answered without a list of rows in "data".`,
  request_cancelled: ({ endpoint }) => `${endpoint}: cancelled before it was answered.`,
  client_closed: () => 'The client is closed; nothing is asked any more.',

  key_wrong: () =>
    'The authorization server refused this API key: it was revoked or rolled, or its id or secret is wrong. A person must issue a new key on the platform and configure it here.',
  exchange_late: ({ seconds }) =>
    `No access token: the authorization server did not answer within ${seconds} s.`,
  exchange_refused: ({ endpoint, status, detail }) =>
    `No access token: ${endpoint} answered ${status}: ${quote(detail, 120)}`,
  no_access_token: ({ endpoint }) => `No access token: ${endpoint} gave no usable access_token.`,
  no_token_endpoint: ({ endpoint }) =>
    `No access token: ${endpoint} names no token_endpoint; check the address of the authorization server.`,
  other_token_endpoint: ({ endpoint, named, expected }) =>
    `No access token: ${endpoint} names a token endpoint at ${quote(named)}, not at ${expected}: the secret is not sent there.`,

  budget_spent: sayWait('the rate budget of this API key is used up'),
  budget_shared: sayWait('what is left of the rate budget is kept for others who are asking'),
  share_spent: sayWait("this caller's share of the rate budget is used up"),
  all_connections_busy: ({ endpoint }) =>
    `${endpoint}: other requests kept every connection busy; ask again when they are done.`,
  too_many_waiting: ({ endpoint, most, isOfCaller }) =>
    `${at(endpoint)}${most} requests${isOfCaller ? ' of yours' : ''} are waiting already, the most there may be; ask again in a moment.`,
  server_ending: ({ endpoint }) => `${at(endpoint)}The server is ending.`,
  too_many_accounts: () => 'Too many accounts are in use; ask again in a moment.',
  account_closed: () => 'The account was just closed; ask again in a moment.',

  not_whole: (parameters, { say }) => {
    switch (parameters.why) {
      case 'list_stopped':
        return `Stopped before the end: ${say(parameters.reason)}`;
      case 'feed_stopped':
        return `Stopped at ${parameters.rows} rows: ${say(parameters.reason)} next_cursor goes on.`;
      case 'more_than_reported':
        return `The platform reports ${parameters.total} rows but gave ${parameters.rows}; there may be more.`;
      case 'fewer_than_reported':
        return `Only ${parameters.rows} different rows could be read of the ${parameters.total} reported.`;
      case 'fewer_given':
        return `The platform reports ${parameters.total} rows but gave ${parameters.rows}; there may be more, and totals over these rows are not totals.`;
      case 'cursor_stands_still':
        return 'The feed says that more follows, but its cursor does not move on.';
      case 'table_cut':
        return 'Not every table was read whole (by a LIMIT inside the statement, or by a bound): sums and counts over it are not those of the whole.';
    }
  },
  row_limit: ({ rows, total }) =>
    `Stopped at ${rows} rows, the most one call may read${total === undefined ? '; next_cursor goes on' : `, of ${total}`}.`,
  moved_while_reading: ({ rows }) =>
    rows === undefined
      ? 'Rows left the list while it was read; some that are still in it may be missing.'
      : `The list changed while it was read (it had ${rows[0]} to ${rows[1]} rows).`,
  repeated_rows: ({ repeated, rows }) =>
    `${countNoun(repeated, 'row')} came again and ${repeated === 1 ? 'is' : 'are'} counted once, in the last version: ${countNoun(rows, 'row')} in all.`,
} satisfies Partial<Texts>;

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
      return `is nested more than ${flaw.most} levels deep`;
    case 'keysPerObject':
      return `has an object of more than ${sayCount(flaw.most)} keys`;
    case 'rowsPerList':
      return 'has a list of far more rows than were asked for';
    case 'values':
      return `holds more than ${sayCount(flaw.most)} values`;
  }
}

/** Texts of a wait for the budget. */
function sayWait(why: string) {
  return ({ endpoint, waitMs, refusal }: Messages['budget_spent'], { say }: Reader): string =>
    sentences(
      `${endpoint}: ${why}; ask again in ${Math.ceil(waitMs / 1000)} s.`,
      refusal && say(refusal),
    );
}

function at(endpoint: string | undefined): string {
  return endpoint === undefined ? '' : `${endpoint}: `;
}
