import { CommerceError, type ErrorCode, PlatformError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { quote, type Sentences, sentencesFor } from '../../core/text.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { misplacedIds } from '../reference/resolve.ts';
import type { Services } from '../services.ts';
import { adviseForbidden } from './forbidden.ts';

/** What was being asked when it failed. */
export interface Asked {
  question: ToolDefinition;
  input: JsonObject;
}

/** A failure whose message says all already: what happened, why and what to do next. */
export class ExplainedError extends CommerceError {
  override readonly name = 'ExplainedError';
}

/** A failure in words that a model can act on alone: what happened, by its message, and what to do next. */
export async function explain(
  services: Services,
  error: unknown,
  asked?: Asked,
  signal?: AbortSignal,
): Promise<string> {
  const { tool = '' } = asked?.question ?? {};
  if (!(error instanceof CommerceError))
    return `${tool && `${tool}: `}Something unexpected went wrong inside the server; nothing is known to be wrong with the question. Try once more; if it fails again, the server's log on stderr says why.`;
  const said = error.message.startsWith(tool) ? error.message : `${tool}: ${error.message}`;
  if (error instanceof ExplainedError) return said;
  const named = asked ? await adviceFromLists(services, error, asked, signal) : [];
  // What the number really is says more than that it is missing.
  const isExplained = error.code === 'not_found' && named.length > 0;
  const known = isExplained ? [] : (advices[error.code] ?? []);
  const advice = typeof known === 'function' ? known(error, asked) : [known].flat();
  const lines = [...advice, ...named].map((line) => sentencesFor(line, services.hasTool));
  return [said, ...lines, sayRefusal(error, said)].filter((line) => line !== '').join('\n');
}

/** The refusal of the platform, where the message is about what became of it. */
function sayRefusal(error: CommerceError, said: string): string {
  const { status, detail = '', traceId } = error instanceof PlatformError ? error : {};
  if (traceId === undefined || said.includes(quote(traceId, 64))) return '';
  return `(status ${status}, detail "${quote(detail, 300)}", trace_id ${quote(traceId, 64)})`;
}

/** What to do next: a line, or lines of one sentence or several that depend on what was asked. */
type Advice = string | ((error: CommerceError, asked: Asked | undefined) => readonly Sentences[]);

const passing = 'This is usually passing: try again in a little while, or for a shorter period.';

const odd = 'The platform, or something in front of it, answered oddly. Try once more.';

/** By what went wrong. */
const advices: Partial<Record<ErrorCode, Advice>> = {
  bad_request: (error, asked) => [
    'Correct the argument that the detail names; unchanged, it will be refused again.',
    ...Object.entries(asked?.question.knownValues ?? {})
      .filter(([name]) => new RegExp(`\\b${name}\\b`).test(error.message))
      .map(([name, known]) => `Known values of ${name}: ${known.join(', ')}; there may be more.`),
  ],
  unauthorized:
    'A fresh token was refused too: the API key was revoked or rolled. A person must issue a new key on the platform and put it in COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET; trying again will not help.',
  key_refused:
    'It goes into COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET. Trying again will not help.',
  exchange_failed: (error) => [
    `The account's authorization server did not give a token. ${sayWait(error)} If it goes on, check COMMERCE_AUTH_URL; commerce-mcp doctor says what is wrong.`,
  ],
  not_found: (_, asked) => [
    notFound[asked?.question.tool ?? ''] ??
      'It does not exist on this account, or lies outside what this key may see.',
  ],
  rate_limited: (error) => [`The rate budget of this key is used up for now. ${sayWait(error)}`],
  overloaded: (error) => [sayWait(error)],
  upstream_failed: passing,
  timeout: passing,
  unreachable: (error) => [
    error instanceof PlatformError && error.isUnknownHost
      ? 'A typing error in the address (COMMERCE_BASE_URL, COMMERCE_AUTH_URL), or no network; commerce-mcp doctor says which.'
      : passing,
  ],
  malformed_answer: odd,
  redirected: odd,
  too_large: 'Ask for less at once: a shorter period, one shop or location, a smaller limit.',
};

const noOrder =
  'It does not exist on this account, or lies outside the locations of this key. An order_number is not an order id: give it as order_number.';

/** What a missing thing may be instead, by the tool that was asked for it. */
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
  return `Try again in ${Math.ceil(retryAfterMs / 1000)} seconds.`;
}

/** Advice that names names: read from the cached reference lists, left out where they fail. */
async function adviceFromLists(
  services: Services,
  error: CommerceError,
  asked: Asked,
  signal: AbortSignal | undefined,
): Promise<readonly Sentences[]> {
  const { reference, productIds } = services;
  const { code } = error;
  if (code !== 'not_found' && code !== 'forbidden') return [];
  const { input, capability } = asked.question;
  const isOpen = 'location_id' in input.shape && asked.input.location_id === undefined;
  // What a tool needs is needed for its own request, not for a name that was looked up for it.
  const needed = error instanceof PlatformError ? capability : undefined;
  const about = { capability: needed, isOpenInLocation: isOpen && capability === undefined };
  const refused = code === 'forbidden' ? await adviseForbidden(services, about, signal) : [];
  const misplaced = await misplacedIds(reference, asked.input, signal);
  if (misplaced.length > 0) return [...refused, ...misplaced];
  const meant = productIds.byInnerId(Number(asked.input.shop_product_id));
  if (meant === undefined) return refused;
  return [
    ...refused,
    `${meant.id} is the inner id of "${meant.title}": its shop_product_id is ${meant.shopProductId}.`,
  ];
}
