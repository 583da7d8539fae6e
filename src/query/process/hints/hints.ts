/** What is likely to mislead in a statement that was answered: at most three sentences, the worst first. */
import { isRecord } from '../../../core/json.ts';
import type { ColumnFacts } from '../../provider.ts';
import { outputOf, type Scope, type Source, traced } from '../columns.ts';
import { type Database, quoteName } from '../database.ts';
import { columnNames, type Node, nodeOf, nodesOf, queryTypes, textOf } from '../tree.ts';
import { looks, type Place } from './looks.ts';

const most = 3;

/** Longest that it may take: the answer is right without. */
const maxMs = 2000;

/** What is known of each table that is loaded. */
type Loaded = ReadonlyMap<string, ColumnFacts | undefined>;

/** Looks through a statement and the rows that are loaded, without changing either. */
export async function findHints(database: Database, query: Node, loaded: Loaded) {
  const places = await placesOf(database, query, loaded);
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

/** All SELECTs of a query. */
async function placesOf(database: Database, query: Node, loaded: Loaded): Promise<Place[]> {
  const places: Place[] = [];
  const ids = new Map([...loaded.values()].flatMap((facts) => Object.entries(facts?.ids ?? {})));
  const types = new Map<string, string>();
  for (const table of loaded.keys()) {
    const columns = await database.rows(`DESCRIBE loaded.${quoteName(table)}`);
    for (const [name, type] of columns) types.set(`${table}.${name}`.toLowerCase(), String(type));
  }

  function columnIn(names: readonly string[], sources: readonly Source[]) {
    const { kind, of = '', tables: owners = [] } = traced(names, sources);
    const column = of.toLowerCase();
    const [table, ...others] = owners.filter((owner) => types.has(`${owner}.${column}`));
    if (kind !== 'column' || table === undefined || others.length > 0) return undefined;
    const type = types.get(`${table}.${column}`) ?? '';
    const place = { sql: quoteName(column), from: `loaded.${quoteName(table)}` };
    const { ids, leftOut, values } = loaded.get(table) ?? {};
    const known = { id: ids?.[column], leftOut: leftOut?.[column], values: values?.[column] };
    return { table, column, type, ...place, ...known, isOfFacts: types.has(`${table}.split`) };
  }

  function onSelect(select: Node, sources: readonly Source[], { definitions, outer }: Scope): void {
    const where = nodeOf(select, 'where_clause');
    places.push({
      select,
      nodes: [select, ...nodesBelow(select)],
      shown: new Set(nodesOf(select, 'select_list')),
      conditions: new Set([...(where ? [where] : []), ...nodesOf(where, 'children')]),
      ids,
      columnOf(expression) {
        const names = expression ? columnNames(expression) : [];
        return columnIn(names, sources) ?? columnIn(names, outer);
      },
      async sqlOf(inner) {
        const map = [...definitions, ...nodesOf(nodeOf(inner, 'cte_map'), 'map')];
        const tree = { error: false, statements: [{ node: { ...inner, cte_map: { map } } }] };
        const text = JSON.stringify(tree);
        const [[sql] = []] = await database.rows('SELECT json_deserialize_sql($1::JSON)', text);
        return String(sql);
      },
      ask: (sql) => database.rows(sql),
    });
  }

  outputOf(query, { onSelect });
  return places;
}

/** All nodes below, not those in queries and in WITH steps. */
function* nodesBelow(value: object): Generator<Node> {
  for (const [key, inner] of Object.entries(value)) {
    if (isRecord(inner)) yield inner;
    const isEnd = key === 'cte_map' || (isRecord(inner) && queryTypes.has(textOf(inner, 'type')));
    if (typeof inner === 'object' && inner !== null && !isEnd) yield* nodesBelow(inner);
  }
}
