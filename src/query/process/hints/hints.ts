/** What is likely to mislead in a statement that was answered: at most three sentences, the worst first. */
import { isRecord } from '../../../core/json.ts';
import type { Tables } from '../../messages.ts';
import { columnsOf } from '../answer.ts';
import { type Database, quoteName } from '../database.ts';
import { treeOf } from '../read.ts';
import { type Node, nodeOf, nodesOf } from '../tree.ts';
import { leftOut, nullsInside, otherIds, otherNames, otherValues } from './columns.ts';
import { bareDays, otherDays } from './days.ts';
import { doubledFacts } from './facts.ts';
import { type LoadedTable, type Place, placesOf } from './places.ts';

const most = 3;

/** The longest statement that is looked through. */
const maxLength = 20_000;

/** Longest that it may take: the answer is right without. */
const maxMs = 2000;

/** Looks through a statement and the rows that are loaded, without changing either. */
export async function findHints(
  database: Database,
  sql: string,
  tables: Tables,
  loaded: ReadonlySet<string>,
): Promise<string[]> {
  const said = new Set<string>();
  if (sql.length > maxLength || loaded.size === 0) return [];
  const endMs = performance.now() + maxMs;
  const timer = setTimeout(() => database.interrupt(), maxMs);
  try {
    const known = await loadedTables(database, tables, loaded);
    const places = placesOf(database, queryOf(await treeOf(database, sql)), known);
    for (const look of looks) {
      for (const place of places) {
        for (const node of [place.select, ...place.nodes]) {
          if (said.size >= most || performance.now() > endMs) break;
          // What cannot be computed apart from the statement around it has no hint.
          const hint = await look(node, place).catch(() => undefined);
          if (hint !== undefined) said.add(hint);
        }
      }
    }
  } catch {
    // The rows are sent, and right: what is said of them is an extra.
  } finally {
    clearTimeout(timer);
  }
  return [...said];
}

/** What may be found at a node of a place, the worst first. */
const looks: readonly ((node: Node, place: Place) => Promise<string | undefined>)[] = [
  doubledFacts,
  bareDays,
  nullsInside,
  otherIds,
  otherNames,
  leftOut,
  otherValues,
  otherDays,
];

function queryOf(tree: unknown): Node {
  const [statement] = isRecord(tree) ? nodesOf(tree, 'statements') : [];
  return nodeOf(statement, 'node') ?? {};
}

async function loadedTables(database: Database, tables: Tables, loaded: ReadonlySet<string>) {
  const known = new Map<string, LoadedTable>();
  for (const name of loaded) {
    const kind = tables.get(name);
    const prepared = await database.prepare(`FROM loaded.${quoteName(name)}`);
    const columns = columnsOf(prepared).map(({ name: column, type }) => [
      column.toLowerCase(),
      type,
    ]);
    prepared.destroySync();
    const facts = kind?.kind === 'calls' ? kind.facts : undefined;
    known.set(name, { columns: new Map(columns.map(([a = '', b = '']) => [a, b])), facts });
  }
  return known;
}
