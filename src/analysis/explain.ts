import { CommerceError, hasCode, PlatformError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { quote } from '../core/text.ts';
import { misplacedIds } from './id-spaces.ts';
import { listNames } from './names.ts';
import type { Platform } from './platform.ts';
import type { Question } from './question.ts';

/** What was being asked when it failed. */
export interface Asked {
  question: Question;
  input: JsonObject;
}

/**
 * A failure in words that a model can act on alone: what happened, why, what to do next, and the
 * platform's own detail, status and trace id.
 */
export async function explain(
  platform: Platform,
  error: unknown,
  asked?: Asked,
  signal?: AbortSignal,
): Promise<string> {
  if (!(error instanceof CommerceError)) return unexpected(asked);
  const { tool } = asked?.question ?? {};
  const said =
    tool === undefined || error.message.startsWith(tool)
      ? error.message
      : `${tool}: ${error.message}`;
  if (error.code === 'bad_input' || error.code === 'cancelled') return said;
  const named = await adviceFromLists(platform, error, asked, signal);
  // What the number really is says more than that it is missing.
  const isExplained = error.code === 'not_found' && named.length > 0;
  const lines = [said, ...(isExplained ? [] : adviceFor(error, asked)), ...named, reference(error)];
  return lines.filter((line) => line !== '').join('\n');
}

function unexpected(asked: Asked | undefined): string {
  const place = asked ? `${asked.question.tool}: ` : '';
  return `${place}Something unexpected went wrong inside the server; nothing is known to be wrong with the question. Try once more; if it fails again, the server's log on stderr says why.`;
}

/** What to do next, by what went wrong. */
function adviceFor(error: CommerceError, asked: Asked | undefined): string[] {
  const wait =
    error instanceof PlatformError && error.retryAfterMs !== undefined
      ? `Try again in ${Math.ceil(error.retryAfterMs / 1000)} seconds.`
      : 'Try again in a minute.';
  switch (error.code) {
    case 'bad_request':
      return ['Correct the argument that the detail names; unchanged, it will be refused again.'];
    case 'unauthorized':
    case 'key_refused':
      return [
        'The API key was revoked or rolled, or is not an API key. A person must issue a new key in the platform and put it in COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET; trying again will not help.',
      ];
    case 'forbidden':
      return forbidden(asked);
    case 'not_found':
      return notFound(asked);
    case 'rate_limited':
      return [`The rate budget of this key is used up for now. ${wait}`];
    case 'overloaded':
      return [`Too many calls are waiting already. ${wait}`];
    case 'upstream_failed':
    case 'timeout':
    case 'unreachable':
      return ['This is usually passing: try again in a little while. A shorter period asks less.'];
    case 'malformed_answer':
    case 'redirected':
      return ['The platform, or something in front of it, answered oddly. Try once more.'];
    case 'too_large':
      return ['Ask for less at once: a shorter period, one shop or location, a smaller limit.'];
    default:
      return [];
  }
}

function forbidden(asked: Asked | undefined): string[] {
  const { capability } = asked?.question ?? {};
  if (capability)
    return [
      `It needs the capability ${capability}, which this key may lack. get_me shows what it holds; an administrator can widen the role.`,
    ];
  return ['get_me shows the role, its capabilities and the locations it is bound to.'];
}

function notFound(asked: Asked | undefined): string[] {
  switch (asked?.question.tool) {
    case 'get_order':
    case 'list_order_items':
      return [
        'It does not exist on this account, or lies outside the locations of this key. An order_number is not an order id: find the order with list_orders and use its id.',
      ];
    case 'get_customer':
      return ['A customer id is the relation_data_id of orders; search_customers finds it.'];
    case 'get_product':
      return [
        'get_product takes the shop_product_id, not the inner id; search_products shows both.',
      ];
    default:
      return ['It does not exist on this account, or lies outside what this key may see.'];
  }
}

/** Advice that names names: read from the cached reference lists, left out where they fail. */
async function adviceFromLists(
  platform: Platform,
  error: CommerceError,
  asked: Asked | undefined,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (asked === undefined || !(hasCode(error, 'not_found') || hasCode(error, 'forbidden')))
    return [];
  const misplaced = await misplacedIds(platform, asked.input, signal);
  if (misplaced.length > 0) return misplaced;
  const productId = Number(asked.input.shop_product_id);
  const meant = platform.productIds.byInnerId(productId);
  if (meant !== undefined)
    return [
      `${productId} is the inner id of "${meant.title}": its shop_product_id is ${meant.shopProductId}.`,
    ];
  const takesLocation = 'location_id' in asked.question.input.shape;
  if (!takesLocation || asked.input.location_id !== undefined || error.code !== 'forbidden')
    return [];
  try {
    const locations = await platform.reference.list('location', signal);
    return locations.length === 0
      ? ['This key may see no location at all.']
      : [`Name one location: location_id may be ${listNames(locations)}.`];
  } catch {
    return ['Pass a single location_id; get_me shows the locations this key is bound to.'];
  }
}

function reference(error: CommerceError): string {
  if (!(error instanceof PlatformError)) return '';
  const { status, problem, message } = error;
  const isUnsaid = (text: string | undefined): text is string =>
    text !== undefined && !message.includes(text);
  const parts = [
    ...(status !== undefined && isUnsaid(String(status)) ? [`status ${status}`] : []),
    ...(isUnsaid(problem.type) && problem.type !== 'about:blank'
      ? [`type ${quote(problem.type)}`]
      : []),
    ...(isUnsaid(problem.detail) ? [`detail "${quote(problem.detail, 300)}"`] : []),
    ...(isUnsaid(problem.traceId) ? [`trace_id ${quote(problem.traceId)}`] : []),
  ];
  return parts.length > 0 ? `(${parts.join(', ')})` : '';
}
