import { z } from 'zod';
import { CommerceError } from '../core/errors.ts';
import { toNumber } from '../core/json.ts';
import { type Finished, messagesOf, type Warning } from '../core/message.ts';
import { quote, sentences } from '../core/text.ts';
import { integer, listOf, text } from '../endpoints/define.ts';
import { words } from '../endpoints/parameters.ts';
import { type AnalysisTool, defineAnalysis } from './define-tool.ts';
import { requireOne } from './endpoint/prepare-request.ts';
import {
  foldName,
  listNames,
  type ReferenceEntry,
  type ReferenceKind,
  referenceKinds,
  spaceByKind,
} from './reference/reference.ts';
import { rankOf } from './reference/resolve.ts';
import type { Row } from './rows/rows.ts';

export function findMessages(hasTool: (tool: string) => boolean) {
  return messagesOf({
    not_searched: ({ noun, reason }: { noun: string; reason: Finished }) =>
      `The ${noun}s could not be searched: ${reason.text}`,
    no_rows: ({ name }: { name: string }) =>
      sentences(
        `Nothing is called "${quote(name)}". Try a shorter part of the name.`,
        hasTool('search_products') && 'Products are found with search_products.',
        hasTool('search_customers') && 'Customers are found with search_customers.',
      ),
  });
}

/** Searches the reference lists that a caller may have for names, parts of names, ids and aliases. */
export const findReference: AnalysisTool = defineSearch(referenceKinds);

function defineSearch(openKinds: readonly ReferenceKind[]): AnalysisTool {
  return defineAnalysis({
    tool: 'find_reference',
    title: 'Find a reference',
    description: `Finds the ids that names stand for${openKinds.includes('shop') ? ', and which shops belong to a location' : ''}.`,
    input: z.strictObject({
      query: words.optional().describe('Name, part of one, alias or id'),
      q: words.optional().describe('As query'),
      kinds: z.array(z.enum(openKinds)).max(12).optional().describe('Only these'),
    }),
    output: listOf({
      kind: text,
      id: integer,
      give_as: text,
      name: text,
      type_alias: text,
      location_id: integer,
      location: text,
      shops: text,
    }),
    async answer({ reference, hasTool }, input, { signal }) {
      const messages = findMessages(hasTool);
      requireOne('find_reference', ['query', 'q'], input);
      const { query = input.q ?? '', kinds = openKinds } = input;
      const warnings: Warning[] = [];
      const read = async (kind: ReferenceKind) =>
        reference.listForDisplay(kind, signal).catch((error: unknown) => {
          if (!(error instanceof CommerceError) || error.code === 'cancelled') throw error;
          const { noun } = spaceByKind[kind];
          warnings.push(messages.not_searched({ noun, reason: error.reason }));
          return [];
        });
      // A shop is shown with its location, and a location with its shops.
      const isLinked = kinds.includes('shop') || kinds.includes('location');
      const linked: ReferenceKind[] = isLinked ? ['shop', 'location'] : [];
      const entries = (await Promise.all([...new Set([...kinds, ...linked])].map(read))).flat();
      const folded = foldName(query);
      const matches = entries
        .filter(({ kind }) => kinds.includes(kind))
        .map((entry) => ({ entry, rank: rankOf(entry, folded) }))
        .filter(({ rank }) => rank !== -1)
        .sort((a, b) => a.rank - b.rank);
      if (matches.length === 0) warnings.push(messages.no_rows({ name: query }));
      return {
        kind: 'rows',
        payload: { count: matches.length, total: matches.length },
        rows: matches.map(({ entry }) => describe(entry, entries)),
        noun: 'matches',
        context: { warnings },
      };
    },
    forCaller(fence) {
      const kinds = openKinds.filter((kind) => fence.has(spaceByKind[kind].endpoint.toolset));
      return kinds.length === 0 ? undefined : defineSearch(kinds);
    },
  });
}

function describe({ kind, id, name, row }: ReferenceEntry, all: readonly ReferenceEntry[]): Row {
  const match = { kind, id, give_as: spaceByKind[kind].idField, name };
  if (kind === 'payment_method') return { ...match, type_alias: row.type_alias };
  if (kind === 'shop') {
    const { location_id = null } = row;
    const place = all.find(
      (entry) => entry.kind === 'location' && entry.id === toNumber(location_id),
    );
    return { ...match, location_id, ...(place && { location: place.name }) };
  }
  if (kind !== 'location') return match;
  const shops = all.filter(
    (entry) => entry.kind === 'shop' && toNumber(entry.row.location_id) === id,
  );
  return { ...match, shops: listNames(shops) || 'none' };
}
