import { logDefect } from '../../core/defect.ts';
import { CommerceError, PlatformError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { sentences } from '../../core/text.ts';
import { type Endpoint, endpointName } from '../../endpoints/define.ts';
import { getMe, listLocations } from '../../endpoints/reference.ts';
import { firstNamed, listNames, referenceTtlMs } from '../reference/reference.ts';
import { misplacedIds } from '../reference/resolve.ts';
import type { Services } from '../services.ts';
import { adviceOn, type FailedCall } from './advice.ts';

/** The text of a failure for a model: the tool and the reason, then a line for each piece of advice. Logs a defect. */
export async function explain(
  services: Services,
  error: unknown,
  failed?: FailedCall,
  signal?: AbortSignal,
): Promise<string> {
  const prefix = failed ? `${failed.tool.tool}: ` : '';
  if (!(error instanceof CommerceError)) {
    if (failed) logDefect(services.log, error, 'a tool failed', { tool: failed.tool.tool });
    return `${prefix}Something unexpected went wrong inside the server; nothing is known to be wrong with the question. Try once more; if it fails again, the server's log on stderr says why.`;
  }
  const reason = error.reason.text;
  const isRefused = error.code === 'forbidden' && error instanceof PlatformError;
  if (isRefused && (await capabilitiesHeld(services, signal))?.size === 0)
    return `${prefix}This key has no capability, so it may see nothing here; an administrator widens its role. (${reason})`;
  const hints = error.isExplained ? [] : await adviceFromLists(services, error, failed, signal);
  const isIdentified = error.code === 'not_found' && hints.length > 0;
  const advice = error.isExplained || isIdentified ? [] : adviceOn(error, failed);
  return lines(namesTool(error.reason) ? reason : `${prefix}${reason}`, ...advice, ...hints);
}

/** By convention a sentence that names its tool has a parameter `tool`. */
function namesTool(reason: Message): boolean {
  return 'tool' in reason;
}

/** Advice with names from the cached reference lists. */
async function adviceFromLists(
  services: Services,
  error: CommerceError,
  failed: FailedCall | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const isForbidden = error.code === 'forbidden';
  if (failed === undefined || (error.code !== 'not_found' && !isForbidden)) return [];
  const { input } = failed;
  const refused = isForbidden ? [await adviseForbidden(services, error, failed, signal)] : [];
  const misplaced = await misplacedIds(services.reference, input, signal);
  const product = services.productIds.productOfInnerId(Number(input.shop_product_id));
  if (misplaced.length > 0 || product === undefined)
    return [...refused, ...misplaced.map(({ text }) => text)];
  const { id, title, shopProductId } = product;
  return [
    ...refused,
    `${id} is the inner id of "${title}": its shop_product_id is ${shopProductId}.`,
  ];
}

async function adviseForbidden(
  services: Services,
  error: CommerceError,
  { tool, input }: FailedCall,
  signal: AbortSignal | undefined,
): Promise<string> {
  const hasMe = services.hasTool(getMe.tool);
  // Only a PlatformError comes from the tool's own request, for which `capabilities` are.
  const { endpoint } = tool;
  if (endpoint?.capabilities && error instanceof PlatformError) {
    const lacking = lackingCapabilities(endpoint, await capabilitiesHeld(services, signal));
    return sentences(
      lacking.length > 0
        ? `This key lacks ${lacking.join(', ')}.`
        : `It needs the capability ${endpoint.capabilities.sentence}.`,
      hasMe && 'get_me shows what it holds;',
      'an administrator can widen the role.',
    );
  }
  const role = hasMe ? 'get_me shows the role and the locations it is bound to.' : '';
  const mayNameLocation = 'location_id' in tool.input.shape && input.location_id === undefined;
  if (!mayNameLocation || endpoint?.capabilities) return role;
  const locations = await services.reference.listIfOpen('location', signal);
  if (locations === undefined) {
    const lacking = lackingCapabilities(listLocations, await capabilitiesHeld(services, signal));
    return lines(lacking.length > 0 ? 'Name one location, as location_id.' : noLocation, role);
  }
  if (locations.length === 0) return lines(noLocation, role);
  const count = locations.length;
  return lines(
    `This key sees ${count} of the company's locations: it gets no figures of the whole company. Name one location: location_id may be ${listNames(firstNamed(locations), count)}.`,
    role,
  );
}

const noLocation = 'This role sees no location; an administrator assigns one to it.';

function lines(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

/** The capabilities that an endpoint needs and a key lacks; none where those of the key are unknown. */
export function lackingCapabilities(
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

/** The capabilities in an answer of GET /api/me; undefined where it has no map of them. */
export function capabilitiesOf(me: unknown): ReadonlySet<string> | undefined {
  const { authorization } = isRecord(me) ? me : {};
  const { capabilities } = isRecord(authorization) ? authorization : {};
  if (!isRecord(capabilities)) return undefined;
  const held = Object.entries(capabilities).filter(([, isHeld]) => isHeld !== false);
  return new Set(held.map(([name]) => name));
}
