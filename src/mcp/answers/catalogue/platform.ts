/** What is said of the platform: requests that failed, lists, reports, and how this account behaves. */
import type { AnswerFlaw, ConnectionFault } from '../../../client/messages.ts';
import type { Messages } from '../../../core/message.ts';
import { countNoun, quote, quoted, sayCount, sentences } from '../../../core/text.ts';
import type { Reader, Texts } from './reader.ts';

const maxName = 64;
const maxReason = 160;

const subjects = {
  internal_orders: 'What the platform does with internal orders without is_internal',
  product_sales_returns: 'Whether product sales are less returns',
  change_feed_internal: 'Whether the feed of changed orders holds internal orders',
  reported_internal: 'Whether turnover and order_count hold internal orders',
  discounted_internal: 'Whether discounted orders hold internal orders',
  correction_lines: 'What the lines of a correction carry',
  walk_in_customer: 'Which customer stands for sales without one',
  first_day: 'The first day with orders',
};

const internalOrders = {
  none: () => 'decides: the last 30 days had no internal orders.',
  included: (count: number) => `counts internal orders in: ${count} in the last 30 days.`,
  left_out: (count: number) => `leaves internal orders out: ${count} in the last 30 days.`,
};

export const platformTexts = {
  refused: ({ endpoint, status, detail, traceId }) =>
    `${endpoint} answered ${status}: ${quote(detail, 300) || 'no reason given'}${traceId === undefined ? '' : ` (trace_id ${quote(traceId, 64)})`}`,
  redirected: ({ endpoint, status, origin }) =>
    `${endpoint} answered ${status}, a redirect${origin === undefined ? '' : ` to ${quote(origin)}`}, which is not followed; check the configured address.`,
  not_connected: ({ endpoint, origin, cause, fault }) => {
    const known = connectionFaults[fault] ?? connectionCauses[cause] ?? 'the connection failed';
    const reason = `${known}${cause === '' ? '' : ` (${cause})`}`;
    return fault === 'proxy'
      ? `${endpoint}: the proxy before ${origin} ${/^\d/.test(cause) ? `answered ${cause}` : `was not reached: ${reason}`}.`
      : `${endpoint}: ${reason} at ${origin}.`;
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
  client_closed: 'The client is closed; nothing is asked any more.',

  key_wrong:
    'The authorization server refused this API key: it was revoked or rolled, or its id or secret is wrong. A person must issue a new key on the platform and configure it here.',
  exchange_late: ({ seconds }) =>
    `No access token: the authorization server did not answer within ${seconds} s.`,
  exchange_refused: ({ endpoint, status, detail }) =>
    `No access token: ${endpoint} answered ${status}: ${quote(detail, 120) || 'no reason given'}`,
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
    }
  },
  long_reads_too_large: ({ megabytes, of }) =>
    ({
      list: `${megabytes} MB of it were read, the most of one list: ask for fewer days, or fewer rows.`,
      caller: `your lists that are read at once have ${megabytes} MB, the most: ask for one after the other.`,
      all: `all lists that are read at once have ${megabytes} MB, the most: ask again in a moment.`,
    })[of],
  row_limit: ({ rows, total }) =>
    `Stopped at ${rows} rows, the most one call may read${total === undefined ? '; next_cursor goes on' : `, of ${total}`}.`,
  moved_while_reading: ({ rows }) =>
    rows === undefined
      ? 'Rows left the list while it was read; some that are still in it may be missing.'
      : `The list changed while it was read (it had ${rows[0]} to ${rows[1]} rows).`,
  repeated_rows: ({ repeated, rows }) =>
    `${countNoun(repeated, 'row')} came again and ${repeated === 1 ? 'is' : 'are'} counted once, in the last version: ${countNoun(rows, 'row')} in all.`,

  // Reports
  no_names: ({ idField, noun, reason }, { say }) =>
    `${idField} has no names: the ${noun}s could not be read (${say(reason)}).`,
  not_searched: ({ noun, reason }, { say }) => `The ${noun}s could not be searched: ${say(reason)}`,
  name_not_looked_up: ({ idField, noun, why }, { say }) =>
    `the name of the ${noun} could not be looked up (${say(why)}) Give its id as ${idField} instead.`,

  // What looks at the account found where the document is silent, with the evidence
  internal_orders: ({ value, count }) =>
    `Without is_internal the platform ${internalOrders[value](count)}`,
  product_sales_returns: ({ value, column, measure, isPerGroup, day = 'last week' }) =>
    `Product sales are ${value === 'off' ? 'less' : 'before'} returns (checked on ${day}: ${quoted(column, maxName)} adds up to ${quoted(measure, maxName)}${isPerGroup ? ' of each group' : ''}).`,
  change_feed_internal: ({ value, count }) =>
    value
      ? `The feed holds internal orders: ${count} seen.`
      : `The feed leaves internal orders out: ${count} changed on its days.`,
  reported_internal: ({ value, day, reported, others, internals }) =>
    `Reports ${value === 'left_out' ? 'leave internal orders out' : 'count internal orders in'}: order_count of ${day} is ${reported}, the list has ${others} and ${internals} internal ones.`,
  discounted_internal: ({ value, day, count }) =>
    value === 'left_out'
      ? `Discounted orders leave internal ones out: ${count} on ${day}.`
      : `Discounted orders hold internal ones: ${count} on ${day}.`,
  correction_lines: ({ value }) => {
    const kinds = value.map(({ kind, below }) =>
      below.length > 0 ? `${kind} with ${below.join(', ')} < 0` : kind,
    );
    return `Lines of a correction: ${kinds.join('; ')}.`;
  },
  walk_in_customer: ({ value, count, orders }) =>
    `Customer ${value} is that of sales without a customer: ${count} of ${orders} orders.`,
  first_day: ({ value }) => `The first day with orders is ${value}.`,
  behaviour_open: ({ about, why, reason }, { say }) => {
    const subject = subjects[about];
    if (why === 'left_out') return `${subject} is left out.`;
    if (why === 'not_known_yet') return `${subject} is not known yet.`;
    return `${subject} is open${reason ? `: ${quote(say(reason), maxReason)}` : '.'}`;
  },
  cannot_be_read: 'it cannot be read',
  gave_no_rows: ({ tool }) => `${tool} gave no rows.`,
} satisfies Partial<Texts>;

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

function sayFlaw(flaw: {
  kind: AnswerFlaw['kind'];
  bytes?: number;
  type?: string | undefined;
  most?: number;
}) {
  const { kind, bytes, type = 'of no type', most = 0 } = flaw;
  const says: Readonly<Record<AnswerFlaw['kind'], string>> = {
    ended_early: `was cut off after ${bytes} bytes`,
    not_utf8: 'is not UTF-8 text',
    empty: 'is empty',
    other_type: `is ${quote(type)}, not JSON`,
    not_json: 'is cut off or no JSON',
    not_object: 'is neither an object nor a list',
    depth: `is nested more than ${most} levels deep`,
    keysPerObject: `has an object of more than ${sayCount(most)} keys`,
    rowsPerList: 'has a list of far more rows than were asked for',
    values: `holds more than ${sayCount(most)} values: ask for less at once`,
    keys: `holds more than ${sayCount(most)} different keys`,
  };
  return says[kind];
}

function sayWait(why: string) {
  return ({ endpoint, waitMs, at, refusal }: Messages['budget_spent'], { say }: Reader): string => {
    // Of hours a reader wants the clock, Amsterdam's as everywhere.
    const isLong = waitMs > 600_000;
    const when = isLong
      ? `at ${at.slice(0, 16).replace('T', ' ')}`
      : `in ${Math.ceil(waitMs / 1000)} s`;
    return sentences(`${endpoint}: ${why}; ask again ${when}.`, refusal && say(refusal));
  };
}
