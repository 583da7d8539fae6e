import { isRecord, type JsonObject } from '../../../core/json.ts';
import { quote } from '../../../core/text.ts';
import type { Endpoint } from '../../../endpoints/define.ts';
import type { Finding } from './check.ts';

/**
 * The finding about the answer of GET /api/me: the role, what it holds, and which of `endpoints` will
 * be refused. Sections 2 (Me) and 5.8: the blocks are documented, most of their fields are not, so
 * whatever has another form goes unmentioned.
 */
export function judgeAccess(me: unknown, endpoints: readonly Endpoint[]): Finding {
  const document = isRecord(me) ? me : {};
  const authorization = block(document, 'authorization');
  const held = heldCapabilities(authorization);
  const refused = held === undefined ? [] : refusedTools(held, endpoints);
  const binding = readBinding(authorization);
  const notes = [
    ...(refused.length > 0
      ? [`Until an administrator widens the role, these will be refused: ${refused.join('; ')}.`]
      : []),
    ...bindingNotes(binding),
    ...(typeof document.profile_error === 'string'
      ? [
          `The user's profile could not be read (${quote(document.profile_error, 120)}): user and roles stay unknown, the tools work.`,
        ]
      : []),
  ];
  return {
    verdict: notes.length > 0 ? 'warning' : 'ok',
    detail: [
      whose(document, authorization),
      held === undefined
        ? 'the answer lists no capabilities'
        : `holds ${held.length === 0 ? 'no capabilities' : held.map((it) => quote(it, 60)).join(', ')}`,
      ...(binding === undefined ? [] : [bindingPhrase(binding)]),
    ].join('; '),
    ...(notes.length > 0 && { remedy: notes.join(' ') }),
  };
}

/** The tools that need a capability which is not held, grouped by what they need. */
function refusedTools(held: readonly string[], endpoints: readonly Endpoint[]): string[] {
  const byNeed = new Map<string, string[]>();
  for (const { tool, capability = '', input } of endpoints) {
    const enough = capability.match(/[a-z_]+\.[a-z_]+/g) ?? [];
    if (enough.length === 0 || enough.some((name) => held.includes(name))) continue;
    const need = enough.join(' or ');
    // Section 4, rule 9: stock needs a capability only where a location is named.
    const shown =
      need.startsWith('inventory.') && 'location_id' in input.shape
        ? `${tool} with location_id`
        : tool;
    byNeed.set(need, [...(byNeed.get(need) ?? []), shown]);
  }
  return [...byNeed].map(([need, tools]) => `${tools.join(', ')} (needs ${need})`);
}

/** Section 2: a map; an empty one means that the role holds nothing. */
function heldCapabilities({ capabilities }: JsonObject): string[] | undefined {
  if (!isRecord(capabilities)) return undefined;
  return Object.keys(capabilities).filter((name) => capabilities[name] !== false);
}

/** Section 5.8: the locations a role is bound to. */
type Binding = { kind: 'only' | 'except'; ids: readonly unknown[] };

function readBinding({ bindings }: JsonObject): Binding | undefined {
  const bound = isRecord(bindings) ? (bindings.location ?? bindings.locations) : undefined;
  if (Array.isArray(bound)) return { kind: 'only', ids: bound };
  if (!isRecord(bound)) return undefined;
  if (Array.isArray(bound.except)) return { kind: 'except', ids: bound.except };
  return Array.isArray(bound.ids) ? { kind: 'only', ids: bound.ids } : undefined;
}

function bindingPhrase({ kind, ids }: Binding): string {
  if (kind === 'except') return `bound to all locations except ${list(ids)}`;
  return ids.length === 0 ? 'bound to no location' : `bound to location ${list(ids)}`;
}

/** Section 4, rule 11: reports need a scope of one location. */
function bindingNotes(binding: Binding | undefined): string[] {
  if (binding === undefined || (binding.kind === 'only' && binding.ids.length === 1)) return [];
  return binding.kind === 'only' && binding.ids.length === 0
    ? [
        'Locations and reports will be refused: ask an administrator to bind the role to a location.',
      ]
    : [
        'Reports have to name one location (location_id); one without it is refused with the list to choose from.',
      ];
}

function whose(document: JsonObject, { role, title }: JsonObject): string {
  const called = [title, role].find((name) => typeof name === 'string');
  const { name } = block(document, 'account');
  const account = typeof name === 'string' ? ` of account ${quote(name, 60)}` : '';
  return called === undefined ? `a key${account}` : `role ${quote(String(called), 60)}${account}`;
}

function block(document: JsonObject, name: string): JsonObject {
  const value = document[name];
  return isRecord(value) ? value : {};
}

function list(ids: readonly unknown[]): string {
  return quote(ids.map(String).join(', '), 80);
}
