import { CommerceError, type ErrorCode, PlatformError } from '../../core/errors.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { type Endpoint, endpointName } from '../../endpoints/define.ts';
import { getMe } from '../../endpoints/reference.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { firstNamed, type NamedId, referenceTtlMs } from '../reference/reference.ts';
import { misplacedIds } from '../reference/resolve.ts';
import type { Services } from '../services.ts';

declare module '../../core/message.ts' {
  interface Messages {
    /** What a tool failed with, then what to do next, a line each. */
    failed: {
      tool?: string | undefined;
      reason: Message;
      advice: readonly Message[];
    };
    unexpected: { tool?: string | undefined };
    correct_argument: object;
    known_values: { argument: string; values: readonly string[] };
    key_revoked: object;
    key_goes_into: object;
    no_token: Wait;
    not_found_here: { tool: string };
    budget_used_up: Wait;
    try_again: Wait;
    usually_passing: object;
    wrong_address: object;
    untrusted_certificate: object;
    check_proxy: object;
    answered_oddly: object;
    ask_for_less: object;
    /** Given an inner id. */
    inner_id: { id: number; title: string; shopProductId: number };
    /** `lacking` of what the tool `needs`; without them the `sentence` that says what it needs. */
    lacks_capability: { lacking: readonly string[]; sentence: string };
    see_role: object;
    /** The key has no capability at all; what the platform said. */
    sees_nothing: { refusal: Message };
    /** Where the list of locations is known, those that the key sees. */
    name_location: { locations?: readonly NamedId[]; count?: number };
  }
}

interface Wait {
  retryAfterMs?: number | undefined;
}

/** The call that failed. */
export interface FailedCall {
  tool: ToolDefinition;
  input: JsonObject;
}

/** A failure that a model can act on alone: what happened and what to do next. */
export async function explain(
  services: Services,
  error: unknown,
  failed?: FailedCall,
  signal?: AbortSignal,
): Promise<Message> {
  const { tool } = failed?.tool ?? {};
  if (!(error instanceof CommerceError)) return { code: 'unexpected', tool };
  const { reason } = error;
  const isRefused = error.code === 'forbidden' && error instanceof PlatformError;
  // The key holds no capability at all.
  if (isRefused && (await capabilitiesHeld(services, signal))?.size === 0)
    return { code: 'failed', tool, reason: { code: 'sees_nothing', refusal: reason }, advice: [] };
  if (error.isExplained) return { code: 'failed', tool, reason, advice: [] };
  const named = failed ? await adviceFromLists(services, error, failed, signal) : [];
  // What the number really is says more than that it is missing.
  const isFound = error.code === 'not_found' && named.length > 0;
  const advice = isFound ? [] : (advices[error.code]?.(error, failed) ?? []);
  return { code: 'failed', tool, reason, advice: [...advice, ...named] };
}

const advices: Partial<
  Record<ErrorCode, (error: CommerceError, failed: FailedCall | undefined) => readonly Message[]>
> = {
  bad_request: ({ reason }, failed) => [
    { code: 'correct_argument' },
    ...Object.entries(failed?.tool.knownValues ?? {})
      .filter(([name]) => new RegExp(`\\b${name}\\b`).test(JSON.stringify(reason)))
      .map(([argument, values]) => ({ code: 'known_values', argument, values }) as const),
  ],
  unauthorized: () => [{ code: 'key_revoked' }],
  key_refused: () => [{ code: 'key_goes_into' }],
  exchange_failed: (error) => [{ code: 'no_token', ...waitOf(error) }],
  not_found: (_, failed) => [{ code: 'not_found_here', tool: failed?.tool.tool ?? '' }],
  rate_limited: (error) => [{ code: 'budget_used_up', ...waitOf(error) }],
  overloaded: (error) => [{ code: 'try_again', ...waitOf(error) }],
  upstream_failed: () => [{ code: 'usually_passing' }],
  timeout: () => [{ code: 'usually_passing' }],
  unreachable: ({ reason }) => [
    { code: connectionAdvice[reason.code === 'not_connected' ? reason.fault : 'connection'] },
  ],
  malformed_answer: () => [{ code: 'answered_oddly' }],
  redirected: () => [{ code: 'answered_oddly' }],
  too_large: () => [{ code: 'ask_for_less' }],
};

/** Advice on a connection that was not made: only a broken one may succeed when it is tried again. */
export const connectionAdvice = {
  connection: 'usually_passing',
  unknown_name: 'wrong_address',
  no_tls: 'wrong_address',
  certificate: 'untrusted_certificate',
  proxy: 'check_proxy',
} as const;

function waitOf(error: CommerceError): Wait {
  return error instanceof PlatformError ? { retryAfterMs: error.retryAfterMs } : {};
}

/** Advice that names names: read from the cached reference lists, left out where they fail. */
async function adviceFromLists(
  services: Services,
  error: CommerceError,
  failed: FailedCall,
  signal: AbortSignal | undefined,
): Promise<readonly Message[]> {
  const isForbidden = error.code === 'forbidden';
  if (error.code !== 'not_found' && !isForbidden) return [];
  const { input } = failed;
  const refused = isForbidden ? [await adviseForbidden(services, error, failed, signal)] : [];
  const misplaced = await misplacedIds(services.reference, input, signal);
  const meant = services.productIds.byInnerId(Number(input.shop_product_id));
  if (misplaced.length > 0 || meant === undefined) return [...refused, ...misplaced];
  return [...refused, { code: 'inner_id', ...meant }];
}

async function adviseForbidden(
  services: Services,
  error: CommerceError,
  { tool, input }: FailedCall,
  signal: AbortSignal | undefined,
): Promise<Message> {
  // What a tool needs is needed for its own request, not for a name that was looked up for it.
  if (tool.capabilities && error instanceof PlatformError) {
    const lacking = lackingOf(tool, await capabilitiesHeld(services, signal));
    return { code: 'lacks_capability', lacking, sentence: tool.capabilities.sentence };
  }
  const mayNameLocation = 'location_id' in tool.input.shape && input.location_id === undefined;
  if (!mayNameLocation || tool.capabilities) return { code: 'see_role' };
  const reading = services.reference.listForDisplay('location', signal);
  const locations = await reading.catch(() => undefined);
  if (locations === undefined) return { code: 'name_location' };
  return { code: 'name_location', locations: firstNamed(locations), count: locations.length };
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
