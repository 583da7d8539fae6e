/** What a refusal for want of rights (403) means for this key: what it lacks, or how far it sees. */
import { CommerceError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import type { Sentences } from '../../core/text.ts';
import { listFirst } from '../../core/text.ts';
import { endpointName } from '../../endpoints/define.ts';
import { getMe } from '../../endpoints/reference.ts';
import { listNames, referenceTtlMs } from '../reference/reference.ts';
import type { Services } from '../services.ts';

/** What was refused. */
interface Refused {
  /** What the tool needs for its own request. */
  capability?: string | undefined;
  /** Whether naming one location may help. */
  isOpenInLocation: boolean;
}

/**
 * The sentences that settle a refusal, from what the key says of itself and the locations that it lists;
 * both are cached, and left out where they cannot be read.
 */
export async function adviseForbidden(
  services: Services,
  { capability, isOpenInLocation }: Refused,
  signal: AbortSignal | undefined,
): Promise<readonly Sentences[]> {
  if (capability !== undefined) {
    const held = await capabilitiesHeld(services, signal);
    const widen = { needs: getMe.tool, text: 'get_me shows what it holds;' };
    return [[sayLacking(capability, held), widen, 'an administrator can widen the role.']];
  }
  const shows = {
    needs: getMe.tool,
    text: 'get_me shows the role and the locations it is bound to.',
  };
  if (!isOpenInLocation) return [[shows]];
  const locations = await services.reference.list('location', signal).catch(() => undefined);
  if (locations === undefined) return [[shows], 'Name one location, as location_id.'];
  if (locations.length === 0) return [[shows], 'This key may see no location at all.'];
  const named = listNames(locations);
  return [
    `This key sees ${locations.length} of the company's locations: no figure of the whole company can be had with it. Name one location: location_id may be ${named}.`,
    [shows],
  ];
}

/** Which of the capabilities that a tool needs a key lacks; where that is not known, what the tool needs. */
function sayLacking(needed: string, held: ReadonlySet<string> | undefined): string {
  const names = needed.match(/[a-z]+\.[a-z_]+/g) ?? [];
  const lacking = names.filter((name) => held?.has(name) === false);
  if (lacking.length > 0) return `This key lacks ${listFirst(lacking, lacking.length)}.`;
  return `It needs the capability ${needed}.`;
}

/** The capabilities in the role document; undefined where they cannot be read. */
async function capabilitiesHeld({ client }: Services, signal?: AbortSignal) {
  const how = { endpoint: endpointName(getMe), cacheForMs: referenceTtlMs };
  const { body } = await client
    .get(getMe.path, { ...how, ...(signal && { signal }) })
    .catch((error: unknown) => {
      if (error instanceof CommerceError && error.code !== 'cancelled') return { body: undefined };
      throw error;
    });
  return capabilitiesOf(body);
}

/** The capabilities that an answer of GET /api/me says; undefined where it has no map of them. */
export function capabilitiesOf(me: unknown): ReadonlySet<string> | undefined {
  const { authorization } = isRecord(me) ? me : {};
  const { capabilities } = isRecord(authorization) ? authorization : {};
  if (!isRecord(capabilities)) return undefined;
  const held = Object.entries(capabilities).filter(([, isHeld]) => isHeld !== false);
  return new Set(held.map(([name]) => name));
}
