import { totalsOfRow } from '../../../core/column-name.ts';
import { ownValue } from '../../../core/json.ts';
import type { Warning } from '../../../core/message.ts';
import type { SentStatement } from '../../protocol.ts';
import { meaningOf, type Scope, type Source } from '../columns.ts';
import { type Database, quoteName } from '../database.ts';
import { columnNames, type Node, nodeOf, nodesIn, nodesOf } from '../tree.ts';

export type LintContext = ReturnType<typeof lintContextOf>;

/** Warns of an expression of a SELECT, or of a query in it, that is likely to mislead. */
export type Lint = (node: Node, context: LintContext) => Promise<Warning | undefined>;

/** A SELECT of a statement that was answered, with questions that lints ask about it. */
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
    items: new Set(nodesOf(select, 'select_list')),
    /** The conditions of WHERE. */
    conditions: new Set([where, ...nodesOf(where, 'children')]),
    /** The SELECT, its expressions and tables, and the queries within, but not their nodes. */
    nodes: [...nodesIn(select, { ownOnly: true })],
    /** The column of a loaded table that an expression passes on. */
    columnOf(expression: Node | undefined) {
      const names = expression ? columnNames(expression) : [];
      return columnIn(sent, names, sources) ?? columnIn(sent, names, outer);
    },
    /** Whether a column of this name occurs anywhere in the statement. */
    mentions: (name: string) =>
      [...nodesIn(query)].some((node) => columnNames(node).at(-1)?.toLowerCase() === name),
    /** The SQL of a query, with the WITH steps that it can name. */
    async sqlOf(query: Node): Promise<string> {
      const map = [...definitions, ...nodesOf(nodeOf(query, 'cte_map'), 'map')];
      const tree = { error: false, statements: [{ node: { ...query, cte_map: { map } } }] };
      const text = JSON.stringify(tree);
      const [[sql] = []] = await database.rows('SELECT json_deserialize_sql($1::JSON)', text);
      return String(sql);
    },
    rowsOf: (sql: string) => database.rows(sql),
    async countRows(from: string, condition = 'true'): Promise<number> {
      const [[count] = []] = await database.rows(`SELECT count(*) FROM ${from} WHERE ${condition}`);
      return Number(count);
    },
  };
}

function factsOf({ tables }: SentStatement, table: string) {
  const kind = tables.get(table);
  return kind?.kind === 'calls' ? kind.facts : undefined;
}

const comparedFigures = /^(current|reference|difference|low|high)$/;

/** The column of a loaded table that `names` refer to, in lower case; undefined for none or several. */
function columnIn(sent: SentStatement, names: readonly string[], sources: readonly Source[]) {
  const typeIn = (table: string, column: string) =>
    sent.loaded.get(table)?.columns.find(([name]) => name.toLowerCase() === column)?.[1];
  const { kind, column: name = '', tables: owners = [] } = meaningOf(names, sources);
  const column = name.toLowerCase();
  const [table, ...others] = owners.filter((owner) => typeIn(owner, column) !== undefined);
  if (kind !== 'column' || table === undefined || others.length > 0) return undefined;
  const facts = factsOf(sent, table);
  return {
    table,
    column,
    type: typeIn(table, column),
    /** The column and its table in SQL. */
    sql: quoteName(column),
    from: `loaded.${quoteName(table)}`,
    /** The list that its ids belong to. */
    id: ownValue(facts?.ids, column),
    leftOut: ownValue(facts?.leftOut, column),
    isOrderTotal: facts?.isOfOrders === true && totalsOfRow(namesIn(sent, table)).includes(column),
    /** Whether the table holds the facts of a report. */
    isOfFacts: typeIn(table, 'split') !== undefined,
    /** Whether it is a figure of a comparison, whose rows have several measures. */
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
