/** The SELECTs of a statement, each with what its columns are: of which loaded table, of what type. */
import { outputsOf, type Source, type Steps, sourcesOf, traced } from '../../output-columns.ts';
import type { ColumnFacts } from '../../provider.ts';
import { type Database, quoteName } from '../database.ts';
import { columnNames, type Node, nodeOf, nodesOf, queryTypes, textOf } from '../tree.ts';

/** A table that is loaded. */
export interface LoadedTable {
  /** Types by the names of its columns, in small letters. */
  columns: ReadonlyMap<string, string>;
  facts: ColumnFacts | undefined;
}

/** A loaded table's column, in small letters. */
export interface TableColumn extends LoadedTable {
  table: string;
  column: string;
  type: string;
  /** The column and its table as SQL. */
  sql: string;
  from: string;
}

/** A SELECT and where it is. */
export interface Place {
  select: Node;
  /** The expressions and tables in it, but for queries within, of which the node itself is given. */
  nodes: readonly Node[];
  /** What an expression passes on, where it is a loaded table's column. */
  columnOf(expression: Node | undefined): TableColumn | undefined;
  /** The SQL of a query in this place. */
  sqlOf(query: Node): Promise<string>;
  database: Database;
  tables: ReadonlyMap<string, LoadedTable>;
}

/** The numbers in one row of an answer. */
export async function numbersOf({ database }: Place, sql: string): Promise<number[]> {
  const [row = []] = await database.rows(sql);
  return row.map(Number);
}

/** All SELECTs of a query. */
export function placesOf(
  database: Database,
  query: Node,
  tables: ReadonlyMap<string, LoadedTable>,
): Place[] {
  const places: Place[] = [];

  function visit(
    node: Node,
    outerSteps: Steps,
    outerWith: readonly Node[],
    outer: readonly Source[],
  ) {
    const steps = new Map(outerSteps);
    const withs = [...outerWith];
    for (const step of nodesOf(nodeOf(node, 'cte_map'), 'map')) {
      const defined = nodeOf(nodeOf(nodeOf(step, 'value'), 'query'), 'node');
      if (defined === undefined) continue;
      visit(defined, steps, withs, outer);
      steps.set(textOf(step, 'key').toLowerCase(), outputsOf(defined, steps));
      withs.push(step);
    }
    const sources = sourcesOf(nodeOf(node, 'from_table'), steps);
    const { cte_map: _, ...parts } = node;
    const nodes = [...below(parts)];
    const columnIn = (names: readonly string[], from: readonly Source[]) => {
      const { kind, of = '', tables: owners = [] } = traced(names, from);
      const column = of.toLowerCase();
      const [name = '', ...others] = owners.filter((own) => tables.get(own)?.columns.has(column));
      const table = tables.get(name);
      const type = table?.columns.get(column);
      if (kind !== 'column' || others.length > 0 || !table || type === undefined) return undefined;
      const sql = { sql: quoteName(column), from: `loaded.${quoteName(name)}` };
      return { ...table, table: name, column, type, ...sql };
    };
    if (node.type === 'SELECT_NODE') {
      places.push({
        select: node,
        nodes,
        columnOf(expression) {
          const names = expression ? columnNames(expression) : [];
          if (names.length === 0) return undefined;
          return columnIn(names, sources) ?? columnIn(names, outer);
        },
        sqlOf: (inner) => sqlOf(database, inner, withs),
        database,
        tables,
      });
    }
    for (const inner of nodes)
      if (queryTypes.has(textOf(inner, 'type'))) visit(inner, steps, withs, [...sources, ...outer]);
  }

  visit(query, new Map(), [], []);
  return places;
}

/** All nodes below, not those in queries. */
function* below(value: unknown): Generator<Node> {
  for (const inner of Object.values(value ?? {})) {
    if (typeof inner !== 'object' || inner === null) continue;
    const isQuery = queryTypes.has(textOf(inner, 'type'));
    if (!Array.isArray(inner)) yield inner;
    if (!isQuery) yield* below(inner);
  }
}

async function sqlOf(database: Database, query: Node, withs: readonly Node[]): Promise<string> {
  const map = [...withs, ...nodesOf(nodeOf(query, 'cte_map'), 'map')];
  const tree = { error: false, statements: [{ node: { ...query, cte_map: { map } } }] };
  const [[sql] = []] = await database.rows(
    'SELECT json_deserialize_sql($1::JSON)',
    JSON.stringify(tree),
  );
  return String(sql);
}

/** The text of a constant, and of one that is cast. */
export function constantText(expression: Node | undefined): string | undefined {
  if (expression?.class === 'CAST') return constantText(nodeOf(expression, 'child'));
  if (expression?.class !== 'CONSTANT') return undefined;
  const value = nodeOf(expression, 'value')?.value;
  return typeof value === 'object' || value === undefined ? undefined : String(value);
}

/** A number as a reader takes it in. */
export function count(value: unknown): string {
  return Number(value).toLocaleString('en-US', { maximumFractionDigits: 2 });
}
