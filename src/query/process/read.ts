import { isRecord } from '../../core/json.ts';
import { QueryError, queryMessages } from '../messages.ts';
import type { SentStatement } from '../protocol.ts';
import type { Tables } from '../provider.ts';
import { explainParse } from './advice.ts';
import { type Output, outputOf, type Scope } from './columns.ts';
import { type Database, quoteName } from './database.ts';
import {
  columnNames,
  type Node,
  nodeOf,
  nodesIn,
  nodesOf,
  numberOf,
  qualifiedName,
  queryIn,
  shapeOf,
  tableName,
  textOf,
} from './tree.ts';
import { argumentsOf, pureTableFunctions, unknownPart, unknownTable, vetNode } from './vet.ts';

/** The statement or one of its views, edited so that it can run. */
export interface ReadText {
  sql: string;
  /** The parameters of a view and their defaults. */
  parameters: Readonly<Record<string, string>>;
  query: Node;
  /** Its tables; a table comes after those that its arguments need. */
  references: readonly TableReference[];
  output: Output;
}

interface TableReference {
  table: string;
  /** The text of the call, where all its arguments are constants: its rows can be read at once. */
  constantCall: string | undefined;
  /** Arguments that differ from row to row. */
  correlatedArguments: readonly string[];
  /** The statement needs only so many of its rows. */
  neededRows: number | undefined;
}

export type ReadStatement = Awaited<ReturnType<typeof readStatement>>;

/** @throws {QueryError} for anything but a SELECT over known tables and allowed functions */
export async function readStatement(database: Database, { sql, tables }: SentStatement) {
  const views = new Map<string, ReadText>();
  const viewsUnderWay = new Set<string>();

  async function readText(text: string, parameters = {}): Promise<ReadText> {
    const written = replaceBackticks(text);
    const query = await parse(database, written);
    for (const node of nodesIn(query)) {
      vetNode(node);
      await readView(tableName(node).toLowerCase());
    }
    const names = Object.keys(parameters);
    const { insertions, ...facts } = readTables(written, query, tables, views, names);
    const runnable = insertTexts(written, insertions);
    const isEdited = insertions.length > 0;
    return {
      ...facts,
      parameters,
      sql: runnable,
      query: isEdited ? await parse(database, runnable) : query,
    };
  }

  async function readView(name: string): Promise<void> {
    const kind = tables.get(name);
    if (kind?.kind !== 'view' || views.has(name)) return;
    if (viewsUnderWay.has(name))
      throw new QueryError(queryMessages.view_reads_itself({ view: name }));
    viewsUnderWay.add(name);
    views.set(name, await readText(kind.sql, kind.parameters));
  }

  const statement = await readText(sql);
  const tablesRead = new Map<string, Set<string>>();
  for (const { table, correlatedArguments: names } of statement.references)
    tablesRead.set(table, new Set([...(tablesRead.get(table) ?? []), ...names]));
  const modifiers = nodesOf(statement.query, 'modifiers');
  const queries = [statement, ...views.values()].map(({ query }) => query);
  const columns = [...nodesIn(queries)].flatMap((node) => columnNames(node).at(-1) ?? []);
  return {
    ...statement,
    /** Columns whose quoted name is a path: `"address.city"`. */
    paths: new Set(columns.filter((name) => name.includes('.')).map((name) => name.toLowerCase())),
    /** The tables that it reads, with the arguments whose values their rows carry. */
    tablesRead,
    /** By name; a view comes after those that it reads. */
    views,
    shape: {
      ...shapeOf(queries),
      tables: [...tablesRead.keys()],
      shown: statement.output.columns.map(({ name }) => name),
    },
    isOrdered: modifiers.some(({ type }) => type === 'ORDER_MODIFIER'),
    limit: numberOf(modifiers.find(({ type }) => type === 'LIMIT_MODIFIER')?.limit),
  };
}

async function parse(database: Database, sql: string): Promise<Node> {
  const [[text = ''] = []] = await database.rows(
    'SELECT json_serialize_sql($1::VARCHAR, skip_default := true, skip_null := true)',
    sql,
  );
  const tree: unknown = JSON.parse(String(text));
  if (!isRecord(tree) || tree.error !== false) throw explainParse(sql, isRecord(tree) ? tree : {});
  const statements = nodesOf(tree, 'statements');
  const query = nodeOf(statements[0], 'node');
  if (query === undefined || statements.length > 1)
    throw new QueryError(queryMessages.not_one_select({ count: statements.length }));
  return query;
}

function readTables(
  sql: string,
  query: Node,
  tables: Tables,
  views: ReadonlyMap<string, ReadText>,
  parameters: readonly string[],
): Pick<ReadText, 'references' | 'output'> & { insertions: Insertion[] } {
  const bytes = asBytes(sql);
  const references: TableReference[] = [];
  const existsQueries = queriesOfExists(query);
  const insertions: Insertion[] = [];
  const seen = new Set<Node>();
  /** By table, the end of its call without an alias; undefined where it has two such calls. */
  const unnamed = new Map<string, number | undefined>();

  function onTable(table: Node, isStep: boolean, { place }: Scope): void {
    seen.add(table);
    if (isStep) return;
    const name = qualifiedName(table).toLowerCase();
    const isCall = table.type === 'TABLE_FUNCTION';
    const kind = tables.get(name);
    if (kind === undefined && isCall && pureTableFunctions.has(name)) return;
    if (kind === undefined) throw unknownTable(qualifiedName(table), tables);
    const args = [...argumentsOf(name, kind, table, tables)];
    insertions.push(...args.flatMap(([, value]) => asList(bytes, value)));
    const from = Number(table.query_location);
    const to = isCall ? endOfCall(bytes, from) : from;
    if (isCall && textOf(table, 'alias') === '')
      unnamed.set(name, unnamed.has(name) ? undefined : to);
    const correlatedArguments = args.flatMap(([arg, value]) =>
      isConstant(value, parameters) ? [] : [arg],
    );
    const written = fromBytes(bytes.slice(from, to));
    const constantCall = quoteName(name) + written.slice(written.indexOf('('));
    const owner = place?.query ?? query;
    const isAlone = owner.from_table === table && !existsQueries.has(owner);
    references.push({
      table: name,
      constantCall: correlatedArguments.length > 0 ? undefined : constantCall,
      correlatedArguments,
      neededRows: isAlone ? firstRows(owner, table) : undefined,
    });
    // The tables of a view come after its arguments. Its calls are made when the view runs, not at once.
    for (const inner of views.get(name)?.references ?? [])
      references.push({ ...inner, constantCall: undefined });
  }

  const output = outputOf(query, { onTable });
  // The rows of a macro have no name without an alias.
  for (const [name, at] of unnamed)
    if (at !== undefined) insertions.push({ at, text: ` AS ${quoteName(name)}` });
  const unseen = [...nodesIn(query)].find((node) => isTable(node) && !seen.has(node));
  if (unseen) throw unknownPart(unseen);
  return { references, output, insertions };
}

function isTable({ type }: Node): boolean {
  return type === 'BASE_TABLE' || type === 'TABLE_FUNCTION';
}

/** The queries of EXISTS. Their LIMIT bounds no rows of the answer, so `neededRows` does not apply. */
function queriesOfExists(query: Node): ReadonlySet<Node | undefined> {
  const expressions = [...nodesIn(query)].filter(({ subquery_type: type }) =>
    /^(NOT_)?EXISTS$/.test(String(type)),
  );
  return new Set(expressions.map(queryIn));
}

/** An argument `(SELECT id FROM ...)` means the list of its rows. */
function asList(bytes: string, value: Node): Insertion[] {
  if (value.class !== 'SUBQUERY' || value.subquery_type !== 'SCALAR') return [];
  const at = Number(value.query_location);
  return /array\s*$/i.test(bytes.slice(Math.max(0, at - 20), at)) ? [] : [{ at, text: 'ARRAY' }];
}

/** Functions without parentheses, which are parsed as columns. */
const clockWords = /^(current_(date|time|timestamp)|localtime(stamp)?)$/i;

/** Whether an expression has the same value in every row. @param parameters of its view, which are constants */
function isConstant(value: Node, parameters: readonly string[]): boolean {
  for (const node of nodesIn(value)) {
    const name = columnNames(node).join('.').toLowerCase();
    if (name !== '' && !clockWords.test(name) && !parameters.includes(name)) return false;
    if (node.class === 'SUBQUERY' || node.class === 'POSITIONAL_REFERENCE') return false;
  }
  return true;
}

/** How many rows a plain `SELECT ... FROM t LIMIT n` needs, those skipped by OFFSET included. */
function firstRows(select: Node, table: Node): number | undefined {
  const [limit, ...more] = nodesOf(select, 'modifiers');
  if (limit?.type !== 'LIMIT_MODIFIER' || more.length > 0) return undefined;
  const clauses = ['where_clause', 'having', 'qualify', 'sample'].map((key) => nodeOf(select, key));
  const isBare =
    [...clauses, nodeOf(table, 'sample')].every((clause) => clause === undefined) &&
    nodesOf(select, 'group_expressions').length === 0 &&
    select.aggregate_handling === 'STANDARD_HANDLING';
  // Any function may be an aggregate, which reads all rows.
  const readsAllRows = ({ class: kind, is_operator }: Node) =>
    /^(WINDOW|SUBQUERY)$/.test(String(kind)) || (kind === 'FUNCTION' && is_operator !== true);
  if (!isBare || [...nodesIn(select.select_list)].some(readsAllRows)) return undefined;
  const rows = (numberOf(limit.limit) ?? Number.NaN) + (numberOf(limit.offset ?? 0) ?? Number.NaN);
  return Number.isSafeInteger(rows) ? rows : undefined;
}

/** A text to insert. */
interface Insertion {
  /** In bytes. */
  at: number;
  text: string;
}

/** One character for each byte, since the engine's offsets count bytes. */
function asBytes(sql: string): string {
  return Buffer.from(sql).toString('latin1');
}

function fromBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

/** Inserts texts, and cuts the statement off at its semicolon. */
function insertTexts(sql: string, insertions: readonly Insertion[]): string {
  const bytes = asBytes(sql);
  const parts: string[] = [];
  let from = 0;
  for (const { at, text } of insertions.toSorted((a, b) => a.at - b.at)) {
    parts.push(bytes.slice(from, at), text);
    from = at;
  }
  return fromBytes([...parts, bytes.slice(from, endOf(bytes))].join(''));
}

/** Texts, quoted names and comments as a whole, since a semicolon in them ends no statement; else one character. */
const token =
  /[eE]'(?:[^'\\]|\\.)*'|'[^']*'|"[^"]*"|`[^`]+`|\$(\w*)\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\/|./gs;

/** Puts names in MySQL's backticks into double quotes. The length stays the same. */
export function replaceBackticks(sql: string): string {
  const isName = (part: string) => /^`[^`"]+`$/.test(part);
  return sql.replace(token, (part) => (isName(part) ? `"${part.slice(1, -1)}"` : part));
}

/** The place of the statement's semicolon, or its length. */
function endOf(bytes: string): number {
  for (const { 0: part, index } of bytes.matchAll(token)) if (part === ';') return index;
  return bytes.length;
}

/** The place after the closing parenthesis of the call that begins at `from`. */
function endOfCall(bytes: string, from: number): number {
  let depth = 0;
  for (const { 0: part, index } of bytes.slice(from).matchAll(token)) {
    if (part === '(') depth++;
    if (part === ')' && --depth === 0) return from + index + 1;
  }
  return bytes.length;
}
