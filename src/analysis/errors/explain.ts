import { CommerceError, hasCode, PlatformError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { misplacedIds } from '../reference/id-spaces.ts';
import { listNames } from '../reference/names.ts';
import type { Services } from '../services.ts';
import { adviceFor } from './advice.ts';

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
  if (!(error instanceof CommerceError)) return unexpected(asked);
  const { tool } = asked?.question ?? {};
  const said =
    tool === undefined || error.message.startsWith(tool)
      ? error.message
      : `${tool}: ${error.message}`;
  const isSaid = error instanceof ExplainedError;
  if (isSaid || error.code === 'bad_input' || error.code === 'cancelled') return said;
  const named = await adviceFromLists(services, error, asked, signal);
  // What the number really is says more than that it is missing.
  const isExplained = error.code === 'not_found' && named.length > 0;
  const lines = [
    said,
    ...(isExplained ? [] : adviceFor(error, asked?.question, asked?.input)),
    ...named,
    reference(error),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function unexpected(asked: Asked | undefined): string {
  const place = asked ? `${asked.question.tool}: ` : '';
  return `${place}Something unexpected went wrong inside the server; nothing is known to be wrong with the question. Try once more; if it fails again, the server's log on stderr says why.`;
}

/** Advice that names names: read from the cached reference lists, left out where they fail. */
async function adviceFromLists(
  services: Services,
  error: CommerceError,
  asked: Asked | undefined,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (asked === undefined || !(hasCode(error, 'not_found') || hasCode(error, 'forbidden')))
    return [];
  const misplaced = await misplacedIds(services.reference, asked.input, signal);
  if (misplaced.length > 0) return misplaced;
  const productId = Number(asked.input.shop_product_id);
  const meant = services.productIds.byInnerId(productId);
  if (meant !== undefined)
    return [
      `${productId} is the inner id of "${meant.title}": its shop_product_id is ${meant.shopProductId}.`,
    ];
  // Where a capability is missing, naming a location does not help.
  const { input, capability } = asked.question;
  const wantsOne = 'location_id' in input.shape && capability === undefined;
  if (!wantsOne || asked.input.location_id !== undefined || error.code !== 'forbidden') return [];
  try {
    const locations = await services.reference.list('location', signal);
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
