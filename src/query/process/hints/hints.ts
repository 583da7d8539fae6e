/** What is likely to mislead in a statement that was answered: at most three sentences, the worst first. */
import type { SentStatement } from '../../messages.ts';
import { outputOf } from '../columns.ts';
import type { Database } from '../database.ts';
import type { Node } from '../tree.ts';
import { looks } from './looks.ts';
import { type Place, placeOf } from './place.ts';

const most = 3;

/** Longest that it may take: the answer is right without. */
const maxMs = 2000;

/** Looks through a statement and the rows that are loaded, without changing either. */
export async function findHints(
  database: Database,
  query: Node,
  sent: SentStatement,
): Promise<string[]> {
  const places: Place[] = [];
  outputOf(query, { onSelect: (...select) => places.push(placeOf(database, sent, ...select)) });
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
