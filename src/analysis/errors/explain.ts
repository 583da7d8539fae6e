import { CommerceError, type ErrorCode, PlatformError } from '../../core/errors.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { quote, type Sentences, sentencesFor } from '../../core/text.ts';
import { type Endpoint, endpointName } from '../../endpoints/define.ts';
import { getMe } from '../../endpoints/reference.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { listNames, referenceTtlMs } from '../reference/reference.ts';
import { misplacedIds } from '../reference/resolve.ts';
import type { Services } from '../services.ts';

/** The call that failed. */
export interface FailedCall {
  tool: ToolDefinition;
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
  failed?: FailedCall,
  signal?: AbortSignal,
): Promise<string> {
  const { tool = '' } = failed?.tool ?? {};
  if (!(error instanceof CommerceError))
    return `${tool && `${tool}: `}Something unexpected went wrong inside the server; nothing is known to be wrong with the question. Try once more; if it fails again, the server's log on stderr says why.`;
  const message = error.message.startsWith(tool) ? error.message : `${tool}: ${error.message}`;
  if (error instanceof ExplainedError) return message;
  const named = failed ? await adviceFromLists(services, error, failed, signal) : [];
  // What the number really is says more than that it is missing.
  const isExplained = error.code === 'not_found' && named.length > 0;
  const known = isExplained ? [] : (advices[error.code] ?? []);
  const advice = typeof known === 'function' ? known(error, failed) : [known].flat();
  const lines = [...advice, ...named].map((line) => sentencesFor(line, services.hasTool));
  return [message, ...lines, sayRefusal(error, message)].filter((line) => line !== '').join('\n');
}

function sayRefusal(error: CommerceError, message: string): string {
  const { status, detail = '', traceId } = error instanceof PlatformError ? error : {};
  if (traceId === undefined || message.includes(quote(traceId, 64))) return '';
  return `(status ${status}, detail "${quote(detail, 300)}", trace_id ${quote(traceId, 64)})`;
}

/** What to do next: a line, or lines of one sentence or several that depend on the call. */
type Advice =
  | string
  | ((error: CommerceError, failed: FailedCall | undefined) => readonly Sentences[]);

const passing = 'This is usually passing: try again in a little while, or for a shorter period.';

const odd = 'The platform, or something in front of it, answered oddly. Try once more.';

const advices: Partial<Record<ErrorCode, Advice>> = {
  bad_request: (error, failed) => [
    'Correct the argument that the detail names; unchanged, it will be refused again.',
    ...Object.entries(failed?.tool.knownValues ?? {})
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
  not_found: (_, failed) => [
    notFound[failed?.tool.tool ?? ''] ??
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

/** What a missing thing may be instead, by the tool that looked for it. */
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
  { tool, input }: FailedCall,
  signal: AbortSignal | undefined,
): Promise<readonly Sentences[]> {
  const { code } = error;
  if (code !== 'not_found' && code !== 'forbidden') return [];
  const refused =
    code === 'forbidden' ? await adviseForbidden(services, error, { tool, input }, signal) : [];
  const misplaced = await misplacedIds(services.reference, input, signal);
  const meant = services.productIds.byInnerId(Number(input.shop_product_id));
  if (misplaced.length > 0 || meant === undefined) return [...refused, ...misplaced];
  const { id, title, shopProductId } = meant;
  return [
    ...refused,
    `${id} is the inner id of "${title}": its shop_product_id is ${shopProductId}.`,
  ];
}

/** What a refusal for want of rights (403) means for this key: what it lacks, or how far it sees. */
async function adviseForbidden(
  services: Services,
  error: CommerceError,
  { tool, input }: FailedCall,
  signal: AbortSignal | undefined,
): Promise<readonly Sentences[]> {
  // What a tool needs is needed for its own request, not for a name that was looked up for it.
  if (tool.capabilities && error instanceof PlatformError) {
    const lacking = lackingOf(tool, await capabilitiesHeld(services, signal));
    const says =
      lacking.length > 0
        ? `This key lacks ${lacking.join(', ')}.`
        : `It needs the capability ${tool.capabilities.sentence}.`;
    const widen = { needs: getMe.tool, text: 'get_me shows what it holds;' };
    return [[says, widen, 'an administrator can widen the role.']];
  }
  const shows = {
    needs: getMe.tool,
    text: 'get_me shows the role and the locations it is bound to.',
  };
  const mayNameLocation = 'location_id' in tool.input.shape && input.location_id === undefined;
  if (!mayNameLocation || tool.capabilities) return [[shows]];
  const locations = await services.reference
    .listForDisplay('location', signal)
    .catch(() => undefined);
  if (locations === undefined) return [[shows], 'Name one location, as location_id.'];
  if (locations.length === 0) return [[shows], 'This key may see no location at all.'];
  const named = listNames(locations);
  return [
    `This key sees ${locations.length} of the company's locations: no figure of the whole company can be had with it. Name one location: location_id may be ${named}.`,
    [shows],
  ];
}

/** The capabilities that an endpoint needs and a key lacks; none where it is not known what the key holds. */
export function lackingOf(
  { capabilities }: Pick<Endpoint, 'capabilities'>,
  held: ReadonlySet<string> | undefined,
): string[] {
  return (capabilities?.names ?? []).filter((name) => held?.has(name) === false);
}

async function capabilitiesHeld({ client }: Services, signal?: AbortSignal) {
  const how = { endpoint: endpointName(getMe), cacheForMs: referenceTtlMs, signal };
  const answer = await client.get(getMe.path, how).catch(() => {
    signal?.throwIfAborted();
    return undefined;
  });
  return capabilitiesOf(answer?.body);
}

/** The capabilities that an answer of GET /api/me says; undefined where it has no map of them. */
export function capabilitiesOf(me: unknown): ReadonlySet<string> | undefined {
  const { authorization } = isRecord(me) ? me : {};
  const { capabilities } = isRecord(authorization) ? authorization : {};
  if (!isRecord(capabilities)) return undefined;
  const held = Object.entries(capabilities).filter(([, isHeld]) => isHeld !== false);
  return new Set(held.map(([name]) => name));
}
