import { isRecord, type JsonObject } from '../../../core/json.ts';
import { quote } from '../../../core/text.ts';
import type { Endpoint } from '../../../endpoints/define.ts';
import type { Finding } from './report.ts';

/**
 * The finding about the answer of GET /api/me: the role, what it holds, and which of `endpoints` will be
 * refused. Most of its fields are not documented (docs/platform.md#me), so other forms are passed over.
 */
export function judgeAccess(me: unknown, endpoints: readonly Endpoint[]): Finding {
  const { account, authorization, profile_error: missing } = asRecord(me);
  const { title, role, capabilities, bindings } = asRecord(authorization);
  const held = isRecord(capabilities)
    ? Object.keys(capabilities).filter((it) => capabilities[it] !== false)
    : undefined;
  const refused = held === undefined ? [] : refusedTools(held, endpoints);
  const bound = readBinding(asRecord(bindings));
  const notes = [
    refused.length > 0 &&
      `Until an administrator widens the role, these will be refused: ${refused.join('; ')}.`,
    bound?.note,
    typeof missing === 'string' &&
      `The user's profile could not be read (${quote(missing, 120)}): user and roles stay unknown, the tools work.`,
  ].filter((note) => typeof note === 'string');
  const names = held?.map((it) => quote(it, 60)).join(', ') || 'no capabilities';
  const called = [title, role].find((it) => typeof it === 'string');
  const { name } = asRecord(account);
  const owner = typeof name === 'string' ? ` of account ${quote(name, 60)}` : '';
  return {
    verdict: notes.length > 0 ? 'warning' : 'ok',
    detail: [
      `${called === undefined ? 'a key' : `role ${quote(String(called), 60)}`}${owner}`,
      held === undefined ? 'the answer lists no capabilities' : `holds ${names}`,
      ...(bound ? [bound.phrase] : []),
    ].join('; '),
    remedy: notes.join(' ') || undefined,
  };
}

/** The tools that need a capability which is not held, grouped by what they need. */
function refusedTools(held: readonly string[], endpoints: readonly Endpoint[]): string[] {
  const byNeed = new Map<string, string[]>();
  for (const { tool, capability = '', input } of endpoints) {
    const enough = capability.match(/[a-z_]+\.[a-z_]+/g) ?? [];
    if (enough.length === 0 || enough.some((name) => held.includes(name))) continue;
    const need = enough.join(' or ');
    // Stock needs a capability only where a location is named.
    const isPartly = need.startsWith('inventory.') && 'location_id' in input.shape;
    const shown = isPartly ? `${tool} with location_id` : tool;
    byNeed.set(need, [...(byNeed.get(need) ?? []), shown]);
  }
  return [...byNeed].map(([need, tools]) => `${tools.join(', ')} (needs ${need})`);
}

/** The locations a role is bound to (docs/platform.md#capabilities), and what that means for reports. */
function readBinding({
  location,
  locations = location,
}: JsonObject): { phrase: string; note?: string } | undefined {
  const { except, ids = locations } = asRecord(locations);
  const list = Array.isArray(except) ? except : ids;
  if (!Array.isArray(list)) return undefined;
  if (list.length === 0 && list !== except)
    return {
      phrase: 'bound to no location',
      note: 'Locations and reports will be refused: ask an administrator to bind the role to a location.',
    };
  const note =
    'Reports have to name one location (location_id); one without it is refused with the list to choose from.';
  return {
    phrase: `bound to ${list === except ? 'all locations except' : 'location'} ${quote(list.join(', '), 80)}`,
    ...((list === except || list.length > 1) && { note }),
  };
}

function asRecord(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}
