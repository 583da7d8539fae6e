import { z } from 'zod';
import { amsterdamIso } from '../core/calendar.ts';
import { CommerceError } from '../core/errors.ts';
import { numberIn } from '../core/json.ts';
import { sentencesFor } from '../core/sentence.ts';
import { quote } from '../core/text.ts';
import { listOf } from '../endpoints/shapes.ts';
import { defineTool, type ToolDefinition } from './define-tool.ts';
import {
  foldName,
  listNames,
  nameWithId,
  type ReferenceEntry,
  type ReferenceKind,
  referenceKinds,
  spaceOfKind,
  toolsetOfKind,
} from './reference/reference.ts';
import type { Row } from './rows/rows.ts';
import type { Services } from './services.ts';

/** A kind may be given twice, by mistake. */
const maxKinds = 12;

type Lists = ReadonlyMap<ReferenceKind, readonly ReferenceEntry[]>;

/** Names, parts of names, ids and aliases across the reference lists that a caller may have. */
export const findReference: ToolDefinition = over(referenceKinds);

function over(known: readonly ReferenceKind[]): ToolDefinition {
  const tool: ToolDefinition = defineTool({
    tool: 'find_reference',
    title: 'Find a reference',
    description: `Finds the ids that a name, part of one, alias or id stands for${known.includes('shop') ? ', and which shops belong to a location' : ''}.`,
    asksPlatform: true,
    input: z.strictObject({
      query: z.string().min(1).max(200).describe('Name, part of one, alias or id'),
      kinds: z.array(z.enum(known)).max(maxKinds).optional().describe('Only these'),
    }),
    output: listOf({ kind: z.string(), id: z.int(), name: z.string() }),
    async answer(services, { query, kinds = known }, { nowMs, signal }) {
      const { lists, failed } = await readLists(services, kinds, signal);
      const matches = kinds
        .flatMap((kind) => lists.get(kind) ?? [])
        .map((entry) => ({ entry, rank: rankOf(entry, foldName(query)) }))
        .filter(({ rank }) => rank < notAMatch)
        .sort((a, b) => a.rank - b.rank)
        .map(({ entry }) => entry);
      const warnings = [...failed, ...twofoldNumbers(query, matches)];
      if (matches.length === 0) warnings.push(nothingFound(services, query, kinds, lists));
      return {
        payload: { count: matches.length, total: matches.length },
        rows: matches.map((entry) => describe(entry, lists)),
        noun: 'matches',
        context: {
          endpoint: 'find_reference',
          source: services.source,
          as_of: amsterdamIso(nowMs),
          warnings,
        },
        asked: { tool: 'find_reference', arguments: { query, kinds } },
      };
    },
    within(fence) {
      const kinds = known.filter((kind) => fence.has(toolsetOfKind(kind)));
      if (kinds.length === known.length) return tool;
      return kinds.length === 0 ? undefined : over(kinds);
    },
  });
  return tool;
}

const notAMatch = 5;

/** 0 the id or the whole name, then an alias, the beginning, a word, any part. */
function rankOf({ id, name, aliases }: ReferenceEntry, query: string): number {
  const called = foldName(name);
  const also = aliases.map(foldName);
  if (String(id) === query || called === query) return 0;
  if (also.includes(query)) return 1;
  if (called.startsWith(query)) return 2;
  if (called.includes(` ${query}`)) return 3;
  return [called, ...also].some((text) => text.includes(query)) ? 4 : notAMatch;
}

/** The lists to search; shops and locations are described by each other, so one is read with the other. */
async function readLists(
  { reference }: Services,
  kinds: readonly ReferenceKind[],
  signal: AbortSignal | undefined,
): Promise<{ lists: Lists; failed: string[] }> {
  const lists = new Map<ReferenceKind, readonly ReferenceEntry[]>();
  const failed: string[] = [];
  const isLinked = kinds.includes('shop') || kinds.includes('location');
  const read = async (kind: ReferenceKind) => {
    try {
      lists.set(kind, await reference.list(kind, signal));
    } catch (error) {
      if (!(error instanceof CommerceError) || error.code === 'cancelled') throw error;
      failed.push(`The ${spaceOfKind(kind).noun}s could not be searched: ${error.message}`);
    }
  };
  const wanted = new Set<ReferenceKind>([
    ...kinds,
    ...(isLinked ? (['shop', 'location'] as const) : []),
  ]);
  await Promise.all([...wanted].map(read));
  return { lists, failed };
}

function describe({ kind, id, name, row }: ReferenceEntry, lists: Lists): Row {
  const found = { kind, id, give_as: spaceOfKind(kind).idField, name };
  if (kind === 'payment_method') return { ...found, type_alias: row.type_alias };
  if (kind === 'shop') {
    const place = lists.get('location')?.find((it) => it.id === numberIn(row.location_id));
    const location_id = row.location_id ?? null;
    return { ...found, location_id, ...(place && { location: place.name }) };
  }
  if (kind !== 'location') return found;
  const shops = lists.get('shop')?.filter((it) => numberIn(it.row.location_id) === id) ?? [];
  return { ...found, shops: shops.length > 0 ? listNames(shops) : 'none' };
}

/** Numbers that mean a thing in several id spaces, each said once. */
function twofoldNumbers(query: string, matches: readonly ReferenceEntry[]): string[] {
  return [...new Set(matches.map(({ id }) => id))].flatMap((id) => {
    const entries = matches.filter((entry) => entry.id === id);
    if (entries.length < 2) return [];
    const where = String(id) === query.trim() ? '' : ' among these matches';
    const meanings = entries.map((it) => `${spaceOfKind(it.kind).noun} ${nameWithId(it)}`);
    return [
      `The number ${id} means ${meanings.length} things${where}: ${meanings.join(', ')}. Give it only as the parameter named in give_as.`,
    ];
  });
}

function nothingFound(
  { hasTool }: Services,
  query: string,
  kinds: readonly ReferenceKind[],
  lists: Lists,
): string {
  const searched = kinds.map(
    (kind) => `${lists.get(kind)?.length ?? 0} ${spaceOfKind(kind).noun}s`,
  );
  const others = [
    `Nothing is called "${quote(query)}". Searched: ${searched.join(', ')}. Try a shorter part of the name.`,
    { needs: 'search_products', text: 'Products are found with search_products.' },
    { needs: 'search_customers', text: 'Customers are found with search_customers.' },
  ];
  return sentencesFor(others, hasTool);
}
