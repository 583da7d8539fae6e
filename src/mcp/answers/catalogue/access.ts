/** What is said of requests that are not served, to whoever sent them. */
import { quote } from '../../../core/text.ts';
import type { Texts } from './reader.ts';

export const accessTexts = {
  host_not_allowed: ({ host }) =>
    `Invalid Host: this server is not known as "${host}". To allow that name, add it to COMMERCE_ALLOWED_HOSTS (--allowed-hosts ${host})`,
  origin_not_allowed: ({ origin }) =>
    `Invalid Origin: pages of "${origin}" may not call this server. To allow them, add it to COMMERCE_ALLOWED_ORIGINS (--allowed-origins ${origin})`,

  token_needed: () => 'Show who you are, as Authorization: Bearer TOKEN',
  token_unknown: () => 'The token is not known here',
  token_not_good: ({ check }) => `The token is not good for this server (${check})`,
  token_of_nobody: () =>
    'The token says neither whose it is (sub) nor which client it was given to (client_id)',
  token_without_scope: () => 'The token carries no scope of this server',
  scope_needed: ({ scope }) => `This needs the scope ${scope}`,
  issuer_not_reached: () => 'The issuer of the token cannot be reached to check it',
  account_not_open: () => 'No account is open to this caller',
  sign_in_page_over: () => 'This page is over. Begin again in the client.',
  sign_in_refused: ({ error, reason }) =>
    `The client asked for what is refused here (${error}: ${reason}). Begin again in the client; if that does not help, add this server to it anew.`,
  sign_in_broken: () => 'Nobody can sign in now: the log of the server says why.',
  too_many_attempts: ({ what, seconds }) =>
    `Too many ${what} came from your address. Try again in ${seconds} seconds.`,
  operator_only: () =>
    'Of several accounts, /metrics is for the token in COMMERCE_OPERATOR_TOKEN alone',

  body_too_long: ({ mostBytes }) => `a body may have ${mostBytes} bytes at most`,
  body_too_full: ({ keysPerObject, levels, values }) =>
    `Invalid request: an object may have ${keysPerObject} members at most, and be ${levels} deep; a body may hold ${values} values`,
  body_not_json: () => 'Parse error: the body is not JSON',
  body_is_batch: () => 'Invalid request: send one message, not a batch',
  headers_too_long: () => 'the headers are too long',
  not_http: () => 'this is no HTTP request',
  arrived_late: ({ seconds }) => `a request has to arrive within ${seconds} seconds`,
  nothing_here: () => 'There is nothing here; the server is at /mcp',
  only_get: () => 'Only GET is allowed here',

  list_is_one_page: ({ cursor }) =>
    `There is no page "${quote(cursor, 60)}": this list is one page. Leave cursor out.`,
} satisfies Partial<Texts>;
