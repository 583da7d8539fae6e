import { type ConnectionFault, clientMessages } from '../../client/messages.ts';
import { type CommerceError, type ErrorCode, PlatformError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { isMessageOf } from '../../core/message.ts';
import type { ToolDefinition } from '../define-tool.ts';

export interface FailedCall {
  tool: ToolDefinition;
  input: JsonObject;
}

/** Lines of advice by the code of a failure; none where its reason says enough. */
export function adviceOn(error: CommerceError, failed?: FailedCall): readonly string[] {
  const advice = advices[error.code]?.(error, failed) ?? [];
  return typeof advice === 'string' ? [advice] : advice;
}

const passingTrouble = 'This usually passes: try again in a little while, or for a shorter period.';
const oddAnswer =
  'The platform, or something in front of it, gave an answer of an unexpected form. Try once more.';
const settingsForm = 'in Claude Desktop: Settings, Extensions, Commerce';
const wrongAddress = `The address of the platform or of the authorization server is mistyped (COMMERCE_BASE_URL, COMMERCE_AUTH_URL; ${settingsForm}), or there is no network; commerce-mcp doctor says which.`;

export const connectionAdvice: Readonly<Record<ConnectionFault, string>> = {
  connection: passingTrouble,
  unknown_name: wrongAddress,
  no_tls: wrongAddress,
  certificate:
    'This does not pass by itself. Where a company has a certificate authority of its own (a proxy that opens TLS has one too), NODE_EXTRA_CA_CERTS names the file with its certificate; a certificate that has expired, or is for another name, has to be renewed by whoever runs that address.',
  proxy:
    'HTTPS_PROXY (or HTTP_PROXY) names the proxy, NO_PROXY the names that are reached without it; whoever runs the proxy may have to let this address through.',
};

const advices: Partial<
  Record<ErrorCode, (error: CommerceError, failed?: FailedCall) => string | readonly string[]>
> = {
  bad_request: ({ reason }, failed) => [
    'Correct the argument that the detail names; unchanged, it will be refused again.',
    ...Object.entries(failed?.tool.endpoint?.knownValues ?? {})
      .filter(([name]) => new RegExp(`\\b${name}\\b`).test(JSON.stringify(reason)))
      .map(([name, values]) => `Known values of ${name}: ${values.join(', ')}; there may be more.`),
  ],
  unauthorized: () =>
    'A fresh token was refused too: the API key was revoked or rolled. A person must issue a new key on the platform and put it in COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET; trying again will not help.',
  key_refused: () =>
    `Put it in client id and client secret (COMMERCE_CLIENT_ID, COMMERCE_CLIENT_SECRET; ${settingsForm}). Trying again will not help.`,
  exchange_failed: (error) =>
    `The account's authorization server did not give a token. ${sayWait(error)} If it goes on, check COMMERCE_AUTH_URL; commerce-mcp doctor says what is wrong.`,
  not_found: (_, failed) =>
    notFound[failed?.tool.tool ?? ''] ??
    'It does not exist on this account, or lies outside what this key may see.',
  rate_limited: (error) => `The rate budget of this key is used up for now. ${sayWait(error)}`,
  overloaded: sayWait,
  upstream_failed: () => passingTrouble,
  timeout: () => passingTrouble,
  unreachable({ reason }) {
    const isKnown = isMessageOf(clientMessages, reason) && reason.code === 'not_connected';
    return connectionAdvice[isKnown ? reason.fault : 'connection'];
  },
  malformed_answer: () => oddAnswer,
  redirected: () => oddAnswer,
  too_large: () => 'Ask for less at once: a shorter period, one shop or location, a smaller limit.',
};

const noOrder =
  'It does not exist on this account, or lies outside the locations of this key. An order_number is not an order id: give it as order_number.';

const notFound: Readonly<Record<string, string>> = {
  get_order: noOrder,
  list_order_items: noOrder,
  get_customer: 'A customer id is the relation_data_id of orders; search_customers finds it.',
  get_product:
    'get_product takes the shop_product_id, not the inner id; search_products shows both.',
};

function sayWait(error: CommerceError): string {
  const { retryAfterMs } = error instanceof PlatformError ? error : {};
  if (retryAfterMs === undefined) return 'Try again in a minute.';
  return retryAfterMs > 600_000
    ? `Try again in ${Math.ceil(retryAfterMs / 60_000)} minutes.`
    : `Try again in ${Math.ceil(retryAfterMs / 1000)} seconds.`;
}
