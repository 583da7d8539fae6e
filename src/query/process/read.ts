/**
 * Reads a statement: what it may be at all, which tables it reads, which of their calls are known
 * before anything is. The engine is locked as well; a refusal here says what to write instead, and does
 * not depend on the engine's locks. One walk, so that its time grows with the statement.
 */
import { isRecord } from '../../core/json.ts';
import { explainParse } from '../advice/parse.ts';
import { QueryError } from '../errors.ts';
import type { Tables } from '../messages.ts';
import { type Output, readOutput } from '../output-columns.ts';
import type { TableKind } from '../provider.ts';
import type { Database } from './database.ts';
import { firstRows, isOrdered, shownColumns } from './row-hint.ts';
import { argumentsOf, unknownTable } from './table-arguments.ts';
import { asBytes, edited, endOfCall, type Insertion } from './text.ts';
import {
  columnNames,
  type Node,
  nodeOf,
  nodesOf,
  queryTypes,
  tableTypes,
  textOf,
  within,
} from './tree.ts';
import {
  nameOf,
  pureTableFunctions,
  refuseQualified,
  vetExpression,
  vetQuery,
  vetTable,
} from './vet.ts';

/** A statement that may run. */
export interface ReadStatement {
  /** The text to run. */
  sql: string;
  /** The tables it reads, in the order in which one may wait for the other. */
  tables: readonly UsedTable[];
  /** The texts of views by name, each after those that it is made of. */
  views: ReadonlyMap<string, ReadText>;
  references: readonly TableReference[];
  /** Whether it says in which order its rows are. */
  isOrdered: boolean;
  /** What its tree says of the answer's columns. */
  output: Output;
  /** Names of the answer's columns, as far as it writes them. */
  shown: readonly string[];
}

/** A table that a statement reads. */
export interface UsedTable {
  name: string;
  /** Arguments whose values its rows carry. */
  carried: readonly string[];
}

/** A SELECT, and the tables it reads; not those of WITH steps that nothing uses. */
export interface ReadText {
  sql: string;
  references: readonly TableReference[];
}

/** A place in a statement where a table of the provider is read. */
export interface TableReference {
  table: string;
  kind: TableKind;
  /** It as it is written, where its arguments are constants: its call is known before anything is read. */
  known: string | undefined;
  /** Arguments that differ from row to row. */
  carried: readonly string[];
  /** So many rows are enough. */
  atMost: number | undefined;
}

/** @throws {QueryError} for what is no SELECT, or names or calls what cannot be had */
export async function readStatement(
  database: Database,
  given: string,
  tables: Tables,
): Promise<ReadStatement> {
  const views = new Map<string, ReadText>();
  /** Views that are being read: one within itself has no end. */
  const open = new Set<string>();

  async function readText(given: string, parameters: ReadonlySet<string> = new Set()) {
    // Before its end is cut off, or a second statement would be lost.
    await parse(database, given);
    let sql = edited(given, []);
    for (;;) {
      const query = await parse(database, sql);
      for (const node of within(query)) await readView(nameOf(node).toLowerCase());
      const found = readTree(sql, query, tables, views, parameters);
      if (found.insertions.length === 0) return { sql, query, references: found.references };
      sql = edited(sql, found.insertions);
    }
  }

  async function readView(name: string): Promise<void> {
    const kind = tables.get(name);
    if (kind?.kind !== 'view' || views.has(name)) return;
    if (open.has(name)) throw new QueryError('bad_statement', `The view ${name} reads itself.`);
    open.add(name);
    const parameters = Object.keys(kind.parameters).map((parameter) => parameter.toLowerCase());
    views.set(name, await readText(kind.sql, new Set(parameters)));
  }

  const { sql, query, references } = await readText(given);
  return {
    sql,
    references,
    tables: usedTables(references),
    views,
    isOrdered: isOrdered(query),
    output: readOutput(query),
    shown: shownColumns(query),
  };
}

/** The tree of a text, as far as it is SQL at all. */
export async function treeOf(database: Database, sql: string): Promise<unknown> {
  const [[text = ''] = []] = await database.rows(
    'SELECT json_serialize_sql($1::VARCHAR, skip_default := true, skip_null := true)',
    sql,
  );
  return JSON.parse(String(text));
}

/** The one query of a text. */
async function parse(database: Database, sql: string): Promise<Node> {
  const tree = await treeOf(database, sql);
  if (!isRecord(tree) || tree.error !== false) throw explainParse(sql, isRecord(tree) ? tree : {});
  const [statement, ...more] = nodesOf(tree, 'statements');
  const query = nodeOf(statement, 'node');
  if (query === undefined)
    throw new QueryError('not_select', 'The statement is empty. Write one SELECT.');
  if (more.length > 0) {
    throw new QueryError(
      'not_select',
      `These are ${more.length + 1} statements. Write one SELECT; WITH holds several steps.`,
    );
  }
  return query;
}

/** The tables of all references, each once, where it is read first. */
function usedTables(references: readonly TableReference[]): UsedTable[] {
  const used = new Map<string, Set<string>>();
  for (const { table, carried } of references)
    used.set(table, new Set([...(used.get(table) ?? []), ...carried]));
  return [...used].map(([name, carried]) => ({ name, carried: [...carried] }));
}

/** A WITH step, or a recursion within itself. */
interface Step {
  isRecursion: boolean;
  /** The steps that are used in it. */
  uses: Set<Step>;
}

/** The WITH steps that can be named at a place. */
interface Scope {
  steps: Map<string, Step>;
  outer: Scope | undefined;
}

/** Reads one SELECT. Its tables come in the order in which one may wait for the other. */
function readTree(
  sql: string,
  query: Node,
  tables: Tables,
  views: ReadonlyMap<string, ReadText>,
  parameters: ReadonlySet<string>,
): { references: readonly TableReference[]; insertions: readonly Insertion[] } {
  const found: { reference: TableReference; step: Step }[] = [];
  const insertions: Insertion[] = [];
  const owners = new Set<string>();
  const unnamed = new Map<string, number>();
  const root: Step = { isRecursion: false, uses: new Set() };
  const bytes = asBytes(sql);
  let owner = root;

  function readQuery(select: Node, outer: Scope | undefined): void {
    vetQuery(select);
    const scope: Scope = { steps: new Map(), outer };
    for (const cte of nodesOf(nodeOf(select, 'cte_map'), 'map')) {
      const step: Step = { isRecursion: false, uses: new Set() };
      const around = owner;
      owner = step;
      const defined = nodeOf(nodeOf(nodeOf(cte, 'value'), 'query'), 'node');
      if (defined !== undefined) readQuery(defined, scope);
      owner = around;
      scope.steps.set(textOf(cte, 'key').toLowerCase(), step);
    }
    if (select.type === 'RECURSIVE_CTE_NODE')
      scope.steps.set(textOf(select, 'cte_name').toLowerCase(), {
        isRecursion: true,
        uses: new Set(),
      });
    freeParameters(select.having);
    const from = nodeOf(select, 'from_table');
    if (from !== undefined) readTable(from, scope, firstRows(select));
    const { cte_map: _, from_table: __, ...others } = select;
    readParts(others, scope);
  }

  /** A parameter in HAVING beside a listed GROUP BY is a column to the engine, in a subquery it is none. */
  function freeParameters(having: unknown): void {
    for (const node of parameters.size > 0 ? within(having) : []) {
      const [name = '', ...more] = columnNames(node);
      const at = Number(node.query_location);
      const isFree = bytes.slice(at - 8, at).toUpperCase() === '(SELECT ';
      if (more.length > 0 || !parameters.has(name.toLowerCase()) || isFree) continue;
      insertions.push({ at, text: '(SELECT ' }, { at: at + name.length, text: ')' });
    }
  }

  /** Anything below a query. */
  function read(value: unknown, scope: Scope): void {
    if (Array.isArray(value)) for (const item of value) read(item, scope);
    if (!isRecord(value)) return;
    const type = textOf(value, 'type');
    const isExpression = textOf(value, 'class') !== '';
    if (isExpression) vetExpression(value, owners);
    if (queryTypes.has(type)) readQuery(value, scope);
    else if (tableTypes.has(type) && !isExpression) readTable(value, scope);
    else readParts(value, scope);
  }

  function readParts(node: Node, scope: Scope): void {
    for (const value of Object.values(node)) if (typeof value === 'object') read(value, scope);
  }

  function readTable(table: Node, scope: Scope, atMost?: number): void {
    vetTable(table);
    const [left, right] = [nodeOf(table, 'left'), nodeOf(table, 'right')];
    if (left !== undefined && right !== undefined) {
      read(left, scope);
      read(right, scope);
      const { left: _, right: __, ...others } = table;
      readParts(others, scope);
    } else if (table.type === 'BASE_TABLE' || table.type === 'TABLE_FUNCTION')
      readName(table, scope, atMost);
    else readParts(table, scope);
  }

  function readName(table: Node, scope: Scope, atMost: number | undefined): void {
    const name = nameOf(table).toLowerCase();
    const isCall = table.type === 'TABLE_FUNCTION';
    const step = isCall ? undefined : findStep(table, name, scope);
    if (step !== undefined) {
      owner.uses.add(step);
      return;
    }
    refuseQualified(table);
    const kind = tables.get(name);
    if (kind === undefined) {
      if (!isCall || !pureTableFunctions.has(name)) throw unknownTable(nameOf(table), tables);
      readParts(nodeOf(table, 'function') ?? {}, scope);
      return;
    }
    const args = isCall ? argumentsOf(name, kind, table) : [];
    for (const { name: arg, value, old } of args) {
      if (old !== undefined) insertions.push({ at: old, text: ':' });
      read(value, scope);
      takeList(`${name}: ${arg}`, value);
    }
    const at = Number(table.query_location);
    if (isCall && textOf(table, 'alias') === '')
      unnamed.set(name, unnamed.has(name) ? Number.NaN : at);
    const differing = args.filter(({ value }) => !isConstant(value, parameters));
    const given = isCall ? bytes.slice(at, endOfCall(bytes, at)) : '';
    const reference = {
      table: name,
      kind,
      known: differing.length > 0 ? undefined : fromBytes(given.slice(given.indexOf('('))),
      carried: differing.map((arg) => arg.name),
      atMost,
    };
    // Those of a view wait for what it waits for; its own constants are found by its own text.
    const inner = views.get(name)?.references ?? [];
    for (const one of [reference, ...inner.map((one) => ({ ...one, known: undefined }))])
      found.push({ reference: one, step: owner });
  }

  /** `(SELECT id FROM ...)` as an argument is the list of its rows. */
  function takeList(place: string, value: Node): void {
    if (value.class !== 'SUBQUERY' || value.subquery_type !== 'SCALAR') return;
    const { length } = nodesOf(nodeOf(nodeOf(value, 'subquery'), 'node'), 'select_list');
    if (length > 1) {
      throw new QueryError(
        'bad_argument',
        `${place} takes one column; its subquery gives ${length}.`,
      );
    }
    const at = Number(value.query_location);
    if (!/array\s*$/i.test(bytes.slice(Math.max(0, at - 20), at)))
      insertions.push({ at, text: 'ARRAY' });
  }

  readQuery(query, undefined);
  for (const [name, at] of unnamed) {
    // A macro's rows have no name unless they are given one.
    if (owners.has(name) && !Number.isNaN(at))
      insertions.push({ at: endOfCall(bytes, at), text: ` AS ${name}` });
  }
  const used = new Set([root]);
  // A set is gone through to its end, what is added meanwhile included.
  for (const step of used) for (const other of step.uses) used.add(other);
  const references = found.flatMap(({ reference, step }) => (used.has(step) ? [reference] : []));
  return { references, insertions };
}

function fromBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

/** The step with this name: of a recursion, its rows so far as `recurring.name` too. */
function findStep(table: Node, name: string, scope: Scope): Step | undefined {
  const schema = textOf(table, 'schema_name');
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    const step = at.steps.get(name);
    if (step !== undefined)
      return schema === '' || (schema === 'recurring' && step.isRecursion) ? step : undefined;
  }
  return undefined;
}

/** These read like columns and are none. */
const clockWords = /^(current_(date|time|timestamp)|localtime(stamp)?)$/i;

/** These differ each time. */
const randomFunctions = /^(gen_random_uuid|random|uuid(v4|v7)?)$/i;

/** Whether an expression has the same value in every row, whatever the parameters of its view. */
function isConstant(value: Node, parameters: ReadonlySet<string>): boolean {
  for (const node of within(value)) {
    const [name, ...more] = columnNames(node);
    const isOther = name !== undefined && !clockWords.test(name);
    if (isOther && (more.length > 0 || !parameters.has(name.toLowerCase()))) return false;
    if (node.class === 'SUBQUERY' || node.class === 'POSITIONAL_REFERENCE') return false;
    if (randomFunctions.test(textOf(node, 'function_name'))) return false;
  }
  return true;
}
