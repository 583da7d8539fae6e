/** What is likely to mislead in a statement that was answered: at most three sentences, the worst first. */
import type { ColumnFacts } from '../../provider.ts';
import { outputOf } from '../columns.ts';
import { type Database, quoteName } from '../database.ts';
import type { Node } from '../tree.ts';
import { looks } from './looks.ts';
import { type LoadedTable, type Place, placeOf } from './place.ts';

const most = 3;

/** Longest that it may take: the answer is right without. */
const maxMs = 2000;

/**
 * Looks through a statement and the rows that are loaded, without changing either.
 * @param facts what is known of each table that is loaded
 */
export async function findHints(
  database: Database,
  query: Node,
  facts: ReadonlyMap<string, ColumnFacts | undefined>,
): Promise<string[]> {
  const loaded = new Map<string, LoadedTable>();
  for (const [table, known] of facts) {
    const columns = await database.rows(`DESCRIBE loaded.${quoteName(table)}`);
    const types = columns.map(
      ([name, type]) => [String(name).toLowerCase(), String(type)] as const,
    );
    loaded.set(table, { types: new Map(types), facts: known });
  }
  const places: Place[] = [];
  outputOf(query, { onSelect: (...select) => places.push(placeOf(database, loaded, ...select)) });
  const said = new Set<string>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    database.connection.interrupt();
  }, maxMs);
  for (const look of looks) {
    for (const place of places) {
      for (const node of place.nodes) {
        if (said.size === most || isLate) break;
        // What cannot be computed apart from the statement around it has no hint.
        const hint = await look(node, place).catch(() => undefined);
        if (hint !== undefined) said.add(hint);
      }
    }
  }
  clearTimeout(timer);
  return [...said];
}
