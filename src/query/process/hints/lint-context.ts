/** A SELECT of a statement that was answered, and what a lint may ask about it. */
import { totalsOfRow } from '../../../core/column-name.ts';
import { ownValue } from '../../../core/json.ts';
import type { Warning } from '../../../core/message.ts';
import type { SentStatement } from '../../protocol.ts';
import { type Scope, type Source, traced } from '../columns.ts';
import { type Database, quoteName } from '../database.ts';
import { columnNames, type Node, nodeOf, nodesIn, nodesOf } from '../tree.ts';

export type LintContext = ReturnType<typeof lintContextOf>;

/** Looks at an expression of a SELECT, or a query in it, and warns where it is likely to mislead. */
export type Lint = (node: Node, context: LintContext) => Promise<Warning | undefined>;

export function lintContextOf(
  database: Database,
  sent: SentStatement,
  select: Node,
  sources: readonly Source[],
  { definitions, outer }: Scope,
  query: Node,
) {
  const where = nodeOf(select, 'where_clause');
  return {
    select,
    /** The expressions that are shown, and the conditions that rows have to meet. */
    shown: new Set(nodesOf(select, 'select_list')),
    conditions: new Set([where, ...nodesOf(where, 'children')]),
    /** It and the expressions and tables in it; of queries within, the node itself. */
    nodes: [...nodesIn(select, { ownOnly: true })],
    /** The column of a loaded table that an expression passes on. */
    columnOf(expression: Node | undefined) {
      const names = expression ? columnNames(expression) : [];
      return columnIn(sent, names, sources) ?? columnIn(sent, names, outer);
    },
    /** Whether the statement names such a column anywhere. */
    mentions: (name: string) =>
      [...nodesIn(query)].some((it) => columnNames(it).at(-1)?.toLowerCase() === name),
    /** The SQL of a query with the steps that it can name. */
    async sqlOf(query: Node): Promise<string> {
      const map = [...definitions, ...nodesOf(nodeOf(query, 'cte_map'), 'map')];
      const tree = { error: false, statements: [{ node: { ...query, cte_map: { map } } }] };
      const text = JSON.stringify(tree);
      const [[sql] = []] = await database.rows('SELECT json_deserialize_sql($1::JSON)', text);
      return String(sql);
    },
    rowsOf: (sql: string) => database.rows(sql),
  };
}

function factsOf({ tables }: SentStatement, table: string) {
  const kind = tables.get(table);
  return kind?.kind === 'calls' ? kind.facts : undefined;
}

const comparedFigures = /^(current|reference|difference|low|high)$/;

/** A column of a loaded table, in small letters, and what is known of it. */
function columnIn(sent: SentStatement, names: readonly string[], among: readonly Source[]) {
  const typeIn = (table: string, column: string) =>
    sent.loaded.get(table)?.columns.find(([name]) => name.toLowerCase() === column)?.[1];
  const { kind, column: name = '', tables: owners = [] } = traced(names, among);
  const column = name.toLowerCase();
  const [table, ...others] = owners.filter((owner) => typeIn(owner, column) !== undefined);
  if (kind !== 'column' || table === undefined || others.length > 0) return undefined;
  const facts = factsOf(sent, table);
  return {
    table,
    column,
    type: typeIn(table, column),
    /** The column and its table as SQL. */
    sql: quoteName(column),
    from: `loaded.${quoteName(table)}`,
    /** The list that ids in it are of. */
    id: ownValue(facts?.ids, column),
    leftOut: ownValue(facts?.leftOut, column),
    isOrderTotal: facts?.isOfOrders === true && totalsOfRow(namesIn(sent, table)).includes(column),
    /** Whether the table is one of a report's facts. */
    isOfFacts: typeIn(table, 'split') !== undefined,
    /** Whether it is a figure of a comparison, whose rows are of several measures. */
    isCompared: comparedFigures.test(column) && hasMeasures(sent, table),
  };
}

function hasMeasures(sent: SentStatement, table: string): boolean {
  const names = namesIn(sent, table);
  return names.includes('measure') && names.includes('current');
}

function namesIn({ loaded }: SentStatement, table: string): string[] {
  return loaded.get(table)?.columns.map(([name]) => name.toLowerCase()) ?? [];
}
