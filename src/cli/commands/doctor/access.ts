import { isRecord, type JsonObject } from '../../../core/json.ts';
import { quote } from '../../../core/text.ts';
import type { Endpoint } from '../../../endpoints/define.ts';
import type { Finding } from './report.ts';

/**
 * The finding about the answer of GET /api/me: the role, what it holds, and which of `endpoints` will be
 * refused. Most of its fields are not documented (docs/platform.md#me), so other forms are passed over.
 */
export function judgeAccess(me: unknown, endpoints: readonly Endpoint[]): Finding {
  const document = isRecord(me) ? me : {};
  const role = block(document, 'authorization');
  const capabilities = isRecord(role.capabilities) ? role.capabilities : undefined;
  const held = capabilities && Object.keys(capabilities).filter((it) => capabilities[it] !== false);
  const refused = held === undefined ? [] : refusedTools(held, endpoints);
  const bound = readBinding(role);
  const notes = [
    ...(refused.length > 0
      ? [`Until an administrator widens the role, these will be refused: ${refused.join('; ')}.`]
      : []),
    ...(bound?.note ? [bound.note] : []),
    ...(typeof document.profile_error === 'string'
      ? [
          `The user's profile could not be read (${quote(document.profile_error, 120)}): user and roles stay unknown, the tools work.`,
        ]
      : []),
  ];
  const names = held?.map((it) => quote(it, 60)).join(', ') || 'no capabilities';
  return {
    verdict: notes.length > 0 ? 'warning' : 'ok',
    detail: [
      titleOf(document, role),
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
function readBinding({ bindings }: JsonObject): { phrase: string; note?: string } | undefined {
  const location = isRecord(bindings) ? (bindings.location ?? bindings.locations) : undefined;
  const { except, ids = location } = isRecord(location) ? location : {};
  const note =
    'Reports have to name one location (location_id); one without it is refused with the list to choose from.';
  if (Array.isArray(except))
    return { phrase: `bound to all locations except ${list(except)}`, note };
  if (!Array.isArray(ids)) return undefined;
  if (ids.length === 0)
    return {
      phrase: 'bound to no location',
      note: 'Locations and reports will be refused: ask an administrator to bind the role to a location.',
    };
  return { phrase: `bound to location ${list(ids)}`, ...(ids.length > 1 && { note }) };
}

function titleOf(document: JsonObject, { role, title }: JsonObject): string {
  const name = [title, role].find((it) => typeof it === 'string');
  const account = block(document, 'account').name;
  const of = typeof account === 'string' ? ` of account ${quote(account, 60)}` : '';
  return name === undefined ? `a key${of}` : `role ${quote(String(name), 60)}${of}`;
}

function block(document: JsonObject, name: string): JsonObject {
  const value = document[name];
  return isRecord(value) ? value : {};
}

function list(ids: readonly unknown[]): string {
  return quote(ids.map(String).join(', '), 80);
}
