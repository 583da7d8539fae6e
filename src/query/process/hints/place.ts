/** A SELECT of a statement that was answered, and what may be asked about it. */

import type { ColumnFacts } from '../../provider.ts';
import { type Scope, type Source, traced } from '../columns.ts';
import { type Database, quoteName } from '../database.ts';
import { columnNames, type Node, nodeOf, nodesBelow, nodesOf } from '../tree.ts';

/** A table with rows: the types of its columns by their names in small letters, and what is known of them. */
export interface LoadedTable {
  types: ReadonlyMap<string, string>;
  facts: ColumnFacts | undefined;
}

export type Place = ReturnType<typeof placeOf>;

export function placeOf(
  database: Database,
  loaded: ReadonlyMap<string, LoadedTable>,
  select: Node,
  sources: readonly Source[],
  { definitions, outer }: Scope,
) {
  /** A column of a loaded table, in small letters, and what is known of it. */
  function columnIn(names: readonly string[], tables: readonly Source[]) {
    const { kind, of = '', tables: owners = [] } = traced(names, tables);
    const column = of.toLowerCase();
    const [table, ...others] = owners.filter((owner) => loaded.get(owner)?.types.has(column));
    const { types, facts } = loaded.get(table ?? '') ?? {};
    if (kind !== 'column' || table === undefined || others.length > 0) return undefined;
    return {
      table,
      column,
      type: types?.get(column) ?? '',
      /** The column and its table as SQL. */
      sql: quoteName(column),
      from: `loaded.${quoteName(table)}`,
      /** What ids in it are of. */
      id: facts?.ids[column],
      leftOut: facts?.leftOut[column],
      /** Documented values. */
      values: facts?.values[column],
      /** Whether the table is one of a report's facts. */
      isOfFacts: types?.has('split') === true,
    };
  }

  return {
    select,
    /** It and the expressions and tables in it; of queries within, the node itself. */
    nodes: [select, ...nodesBelow(select)],
    /** What a loaded table's column holds that an expression passes on. */
    columnOf(expression: Node | undefined) {
      const names = expression ? columnNames(expression) : [];
      return columnIn(names, sources) ?? columnIn(names, outer);
    },
    /** What ids are of that bear this name in any table. */
    idsNamed(name: string): string | undefined {
      return [...loaded.values()].findLast(({ facts }) => facts?.ids[name])?.facts?.ids[name];
    },
    /** The SQL of a query in this place. */
    async sqlOf(query: Node): Promise<string> {
      const map = [...definitions, ...nodesOf(nodeOf(query, 'cte_map'), 'map')];
      const tree = { error: false, statements: [{ node: { ...query, cte_map: { map } } }] };
      const text = JSON.stringify(tree);
      const [[sql] = []] = await database.rows('SELECT json_deserialize_sql($1::JSON)', text);
      return String(sql);
    },
    ask: (sql: string) => database.rows(sql),
  };
}
