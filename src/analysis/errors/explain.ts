import { CommerceError, type ErrorCode, PlatformError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Sentence, type Sentences, sentencesFor } from '../../core/sentence.ts';
import { quote } from '../../core/text.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { listNames } from '../reference/reference.ts';
import { misplacedIds } from '../reference/resolve.ts';
import type { Services } from '../services.ts';

/** What was being asked when it failed. */
export interface Asked {
  question: ToolDefinition;
  input: JsonObject;
}

/** A failure whose message says all already: what happened, why and what to do next. */
export class ExplainedError extends CommerceError {
  override readonly name = 'ExplainedError';
}

/**
 * A failure in words that a model can act on alone: what happened, why, what to do next, and the
 * platform's own detail, status and trace id.
 */
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
  const isSaid = error instanceof ExplainedError;
  if (isSaid || error.code === 'bad_input' || error.code === 'cancelled') return said;
  const named = asked ? await adviceFromLists(services, error, asked, signal) : [];
  // What the number really is says more than that it is missing.
  const isExplained = error.code === 'not_found' && named.length > 0;
  const advice = isExplained ? [] : (advices[error.code]?.(error, asked) ?? []);
  const lines = [
    said,
    ...[...advice, ...named].map((line) => sentencesFor(line, services.hasTool)),
    reference(error),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** Lines, each of one sentence or several. */
type Advice = (error: CommerceError, asked: Asked | undefined) => readonly Sentences[];

const passing: Advice = (error) => {
  const { status = 0, attempts = 1 } = error instanceof PlatformError ? error : {};
  if (status >= 400 && status < 500)
    return [
      'The platform does not document this refusal. Ask otherwise or for less; unchanged, it will be refused again.',
    ];
  const tried = attempts > 1 ? `It was tried ${attempts} times. ` : '';
  return [
    `${tried}This is usually passing: try again in a little while. A shorter period asks less.`,
  ];
};

const odd: Advice = () => [
  'The platform, or something in front of it, answered oddly. Try once more.',
];

/** What to do next, by what went wrong. */
const advices: Partial<Record<ErrorCode, Advice>> = {
  bad_request: (error, asked) => [
    'Correct the argument that the detail names; unchanged, it will be refused again.',
    ...otherValues(error, asked),
  ],
  unauthorized: () => [
    'A fresh token was refused too: the API key was revoked or rolled. A person must issue a new key on the platform and put it in COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET; trying again will not help.',
  ],
  key_refused: () => [
    'It goes into COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET. Trying again will not help.',
  ],
  exchange_failed: (error) => [
    `The account's authorization server did not give a token. ${sayWait(error)} If it goes on, check COMMERCE_AUTH_URL; commerce-mcp doctor says what is wrong.`,
  ],
  forbidden: (error, asked) => {
    const { capability } = asked?.question ?? {};
    if (capability === undefined)
      return [[getMe('the role, its capabilities and the locations it is bound to.')]];
    const { detail = '' } = error instanceof PlatformError ? error.problem : {};
    // One of several may be held: the platform's own word says which is not.
    const named = capability.match(/\w+\.\w+/g)?.find((it) => detail.includes(it));
    const lacking = named
      ? `This key lacks the capability ${named}.`
      : `It needs the capability ${capability}, which this key may lack.`;
    return [[lacking, getMe('what it holds; an administrator can widen the role.')]];
  },
  not_found: (_, asked) => [
    notFound[asked?.question.tool ?? ''] ??
      'It does not exist on this account, or lies outside what this key may see.',
  ],
  rate_limited: (error) => [`The rate budget of this key is used up for now. ${sayWait(error)}`],
  overloaded: (error) => [`Too many calls are waiting already. ${sayWait(error)}`],
  upstream_failed: passing,
  timeout: passing,
  unreachable: passing,
  malformed_answer: odd,
  redirected: odd,
  too_large: () => [
    'Ask for less at once: a shorter period, one shop or location, a smaller limit.',
  ],
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

function getMe(what: string): Sentence {
  return { needs: 'get_me', text: `get_me shows ${what}` };
}

function sayWait(error: CommerceError): string {
  const { retryAfterMs } = error instanceof PlatformError ? error : {};
  return retryAfterMs === undefined
    ? 'Try again in a minute.'
    : `Try again in ${Math.ceil(retryAfterMs / 1000)} seconds.`;
}

/** What else may be given for an argument that was refused; never what was refused. */
function otherValues(error: CommerceError, asked: Asked | undefined): string[] {
  if (asked === undefined) return [];
  const { question, input } = asked;
  const detail = error instanceof PlatformError ? (error.problem.detail ?? '') : '';
  return Object.entries(question.knownValues ?? {}).flatMap(([name, known]) => {
    if (!new RegExp(`\\b${name}\\b`).test(detail)) return [];
    const given = String(input[name] ?? '')
      .split(',')
      .map((it) => it.trim());
    const refused = given.length === 1 ? given : given.filter((value) => detail.includes(value));
    const others = known.filter((value) => !refused.includes(value));
    return [
      `Known values of ${name}: ${others.join(', ')}. The platform may have more: ${question.tool} with limit 0 counts those that occur.`,
    ];
  });
}

/** Advice that names names: read from the cached reference lists, left out where they fail. */
async function adviceFromLists(
  { reference, productIds }: Services,
  { code }: CommerceError,
  { question, input }: Asked,
  signal: AbortSignal | undefined,
): Promise<readonly Sentences[]> {
  if (code !== 'not_found' && code !== 'forbidden') return [];
  const misplaced = await misplacedIds(reference, input, signal);
  if (misplaced.length > 0) return misplaced;
  const productId = Number(input.shop_product_id);
  const meant = productIds.byInnerId(productId);
  if (meant !== undefined)
    return [
      `${productId} is the inner id of "${meant.title}": its shop_product_id is ${meant.shopProductId}.`,
    ];
  // Where a capability is missing, naming a location does not help.
  const wantsOne = 'location_id' in question.input.shape && question.capability === undefined;
  if (!wantsOne || input.location_id !== undefined || code !== 'forbidden') return [];
  try {
    const locations = await reference.list('location', signal);
    return locations.length === 0
      ? ['This key may see no location at all.']
      : [`Name one location: location_id may be ${listNames(locations)}.`];
  } catch {
    return [['Pass a single location_id.', getMe('the locations this key is bound to.')]];
  }
}

/** What the platform said, as far as the message does not hold it. */
function reference(error: CommerceError): string {
  if (!(error instanceof PlatformError)) return '';
  const { status, problem, message } = error;
  const isUnsaid = (text: string | undefined): text is string =>
    text !== undefined && !message.includes(quote(text, 300)) && !message.includes(text);
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
