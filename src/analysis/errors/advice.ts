import { type CommerceError, PlatformError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ToolDefinition } from '../define-tool.ts';

/** What to do next, by what went wrong. */
export function adviceFor(
  error: CommerceError,
  question: ToolDefinition | undefined,
  input: JsonObject = {},
): string[] {
  const wait =
    error instanceof PlatformError && error.retryAfterMs !== undefined
      ? `Try again in ${Math.ceil(error.retryAfterMs / 1000)} seconds.`
      : 'Try again in a minute.';
  switch (error.code) {
    case 'bad_request':
      return [
        'Correct the argument that the detail names; unchanged, it will be refused again.',
        ...otherValues(error, question, input),
      ];
    case 'unauthorized':
      return [
        'A fresh token was refused too: the API key was revoked or rolled. A person must issue a new key on the platform and put it in COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET; trying again will not help.',
      ];
    case 'key_refused':
      return [
        'It goes into COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET. Trying again will not help.',
      ];
    case 'exchange_failed':
      return [
        `The account's authorization server did not give a token. ${wait} If it goes on, check COMMERCE_AUTH_URL; commerce-mcp doctor says what is wrong.`,
      ];
    case 'forbidden':
      return forbidden(question);
    case 'not_found':
      return notFound(question);
    case 'rate_limited':
      return [`The rate budget of this key is used up for now. ${wait}`];
    case 'overloaded':
      return [`Too many calls are waiting already. ${wait}`];
    case 'upstream_failed':
    case 'timeout':
    case 'unreachable':
      return [passing(error)];
    case 'malformed_answer':
    case 'redirected':
      return ['The platform, or something in front of it, answered oddly. Try once more.'];
    case 'too_large':
      return ['Ask for less at once: a shorter period, one shop or location, a smaller limit.'];
    default:
      return [];
  }
}

/** What else may be given for an argument that was refused; never what was refused. */
function otherValues(
  error: CommerceError,
  question: ToolDefinition | undefined,
  input: JsonObject,
): string[] {
  const detail = error instanceof PlatformError ? (error.problem.detail ?? '') : '';
  return Object.entries(question?.knownValues ?? {}).flatMap(([name, known]) => {
    if (!new RegExp(`\\b${name}\\b`).test(detail)) return [];
    const given = String(input[name] ?? '')
      .split(',')
      .map((it) => it.trim());
    const refused = given.length === 1 ? given : given.filter((value) => detail.includes(value));
    const others = known.filter((value) => !refused.includes(value));
    return [
      `Known values of ${name}: ${others.join(', ')}. The platform may have more: ${question?.tool} with limit 0 counts those that occur.`,
    ];
  });
}

/** Section 7: an upstream error is transient more often than not; a refusal of another kind is not. */
function passing(error: CommerceError): string {
  const { status = 0, attempts = 1 } = error instanceof PlatformError ? error : {};
  if (status >= 400 && status < 500)
    return 'The platform does not document this refusal. Ask otherwise or for less; unchanged, it will be refused again.';
  const tried = attempts > 1 ? `It was tried ${attempts} times. ` : '';
  return `${tried}This is usually passing: try again in a little while. A shorter period asks less.`;
}

function forbidden(question: ToolDefinition | undefined): string[] {
  const { capability } = question ?? {};
  if (capability)
    return [
      `It needs the capability ${capability}, which this key may lack. get_me shows what it holds; an administrator can widen the role.`,
    ];
  return ['get_me shows the role, its capabilities and the locations it is bound to.'];
}

function notFound(question: ToolDefinition | undefined): string[] {
  switch (question?.tool) {
    case 'get_order':
    case 'list_order_items':
      return [
        'It does not exist on this account, or lies outside the locations of this key. An order_number is not an order id: give it as order_number.',
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
