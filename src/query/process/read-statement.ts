/**
 * Reads the tree of a statement: what it may be at all, which tables it reads, and in which order
 * their calls become known. The engine is locked as well; a refusal here says what to write instead,
 * and does not depend on the engine's locks. One walk, so that its time grows with the statement.
 */
import { isRecord } from '../../core/json.ts';
import { quote, quoted } from '../../core/text.ts';
import { QueryError } from '../errors.ts';
import type { Tables } from '../messages.ts';
import type { TableKind } from '../provider.ts';
import { pureTableFunctions } from './functions.ts';
import { firstRows } from './row-hint.ts';
import { argumentsOf, type NamedArgument, unknownTable } from './table-arguments.ts';
import { asBytes, endOfCall, type Insertion } from './text.ts';
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
import { nameOf, refuseQualified, vetExpression, vetQuery, vetTable } from './vet.ts';

/** A place in a statement where a table of the provider is read. */
export interface TableReference {
  table: string;
  kind: TableKind;
  /** Where it begins in the text, in bytes; of a call with arguments. */
  at: number | undefined;
  /** Whether its arguments are constants, so that its call is known before anything is read. */
  isClosed: boolean;
  /** Arguments that differ from row to row. */
  carried: readonly string[];
  /** How many calls of other tables its own wait for. */
  level: number;
  /** So many rows are enough. */
  atMost: number | undefined;
}

/** What a statement's tree says. */
export interface TreeReading {
  /** The tables that the statement reads; not those of WITH steps that nothing uses. */
  references: readonly TableReference[];
  /** What its text lacks to mean what was meant. */
  insertions: readonly Insertion[];
}

/** A WITH step, or a recursion within itself. */
interface Step {
  level: number;
  isRecursion: boolean;
  /** The steps that are used in it. */
  uses: Set<Step>;
}

/** What can be named at a place. */
interface Scope {
  steps: Map<string, Step>;
  /** The tables of FROM by their names, and how many calls they wait for. */
  levels: Map<string, number>;
  outer: Scope | undefined;
}

/** Waits for no call. */
const none = -1;

/**
 * Reads one SELECT.
 * @param parameters of the view that it is, in small letters
 * @param viewReferences the tables that a view reads
 * @throws {QueryError} at the first thing that is not to be had
 */
export function readStatementTree(
  sql: string,
  query: Node,
  tables: Tables,
  viewReferences: (view: string) => readonly TableReference[],
  parameters: ReadonlySet<string> = new Set(),
): TreeReading {
  const found: { reference: TableReference; step: Step | undefined }[] = [];
  const insertions: Insertion[] = [];
  const owners = new Set<string>();
  const unnamed = new Map<string, number>();
  const root: Step = { level: none, isRecursion: false, uses: new Set() };
  let owner = root;

  function readQuery(select: Node, outer: Scope | undefined): number {
    vetQuery(select);
    const scope: Scope = { steps: new Map(), levels: new Map(), outer };
    let level = none;
    for (const cte of nodesOf(nodeOf(select, 'cte_map'), 'map')) {
      const step: Step = { level: none, isRecursion: false, uses: new Set() };
      const defined = nodeOf(nodeOf(nodeOf(cte, 'value'), 'query'), 'node');
      const around = owner;
      owner = step;
      if (defined !== undefined) step.level = readQuery(defined, scope);
      owner = around;
      scope.steps.set(textOf(cte, 'key').toLowerCase(), step);
    }
    if (select.type === 'RECURSIVE_CTE_NODE') {
      const name = textOf(select, 'cte_name').toLowerCase();
      scope.steps.set(name, { level: none, isRecursion: true, uses: new Set() });
    }
    freeParameters(select.having);
    const from = nodeOf(select, 'from_table');
    if (from !== undefined) level = readTable(from, scope, firstRows(select));
    for (const [key, value] of Object.entries(select))
      if (key !== 'cte_map' && key !== 'from_table') level = Math.max(level, read(value, scope));
    return level;
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
  function read(value: unknown, scope: Scope): number {
    if (Array.isArray(value))
      return value.reduce<number>((level, item) => Math.max(level, read(item, scope)), none);
    if (!isRecord(value)) return none;
    const type = textOf(value, 'type');
    if (queryTypes.has(type)) return readQuery(value, scope);
    if (textOf(value, 'class') !== '') vetExpression(value, owners);
    else if (tableTypes.has(type)) return readTable(value, scope);
    return readParts(value, scope);
  }

  function readParts(node: Node, scope: Scope, except: readonly string[] = []): number {
    let level = none;
    for (const [key, value] of Object.entries(node))
      if (typeof value === 'object' && !except.includes(key))
        level = Math.max(level, read(value, scope));
    return level;
  }

  function readTable(table: Node, scope: Scope, atMost?: number): number {
    vetTable(table);
    const [left, right] = [nodeOf(table, 'left'), nodeOf(table, 'right')];
    if (left !== undefined && right !== undefined) {
      const sides = Math.max(readTable(left, scope), readTable(right, scope));
      return Math.max(sides, readParts(table, scope, ['left', 'right']));
    }
    const level =
      table.type === 'BASE_TABLE' || table.type === 'TABLE_FUNCTION'
        ? readName(table, scope, atMost)
        : readParts(table, scope);
    const alias = textOf(table, 'alias') || nameOf(table);
    if (alias !== '') scope.levels.set(alias.toLowerCase(), level);
    return level;
  }

  function readName(table: Node, scope: Scope, atMost: number | undefined): number {
    const name = nameOf(table).toLowerCase();
    const isCall = table.type === 'TABLE_FUNCTION';
    const step = isCall ? undefined : findStep(table, name, scope);
    if (step !== undefined) {
      owner.uses.add(step);
      return step.level;
    }
    refuseQualified(table);
    const kind = tables.get(name);
    if (kind === undefined) {
      if (!isCall || !pureTableFunctions.has(name)) throw unknownTable(nameOf(table), tables);
      return readParts(nodeOf(table, 'function') ?? {}, scope);
    }
    const args = isCall ? argumentsOf(name, kind, table) : [];
    for (const { old } of args) if (old !== undefined) insertions.push({ at: old, text: ':' });
    const levels = args.map((arg) => readArgument(name, arg, scope));
    const level = 1 + Math.max(none, ...levels);
    const isClosed = args.every(({ value }) => isConstant(value, parameters));
    const carried = args
      .filter(({ value }) => !isConstant(value, parameters))
      .map((arg) => arg.name);
    const at = Number(table.query_location);
    const reference = {
      table: name,
      kind,
      at: args.length > 0 ? at : undefined,
      isClosed,
      carried,
      level,
      atMost,
    };
    for (const { name: arg, value } of args) takeList(`${name}: ${arg}`, value);
    if (isCall && textOf(table, 'alias') === '') {
      unnamed.set(name, unnamed.has(name) ? Number.NaN : at);
    }
    found.push({ reference, step: owner });
    if (kind.kind !== 'view') return level;
    const inner = viewReferences(name).map((one) => ({
      ...one,
      level: one.level + level,
      isClosed: false,
    }));
    for (const one of inner) found.push({ reference: one, step: owner });
    return Math.max(level, ...inner.map((one) => one.level));
  }

  /** What an argument waits for: subqueries in it, and the tables whose columns it names. */
  function readArgument(table: string, { name, value }: NamedArgument, scope: Scope): number {
    const [column] = ownColumns(value);
    if (column !== undefined && !hasTables(scope) && !parameters.has(column.toLowerCase())) {
      throw new QueryError(
        'bad_argument',
        `${table}: ${quoted(column)} is neither a value nor a column of a table before it in FROM. Text stands in single quotes: ${name} := '${quote(column)}'.`,
      );
    }
    let level = read(value, scope);
    for (const node of within(value)) {
      const [first, ...more] = columnNames(node);
      if (first !== undefined) level = Math.max(level, levelOf(first, more.length > 0, scope));
    }
    return level;
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

  const bytes = asBytes(sql);
  readQuery(query, undefined);
  for (const [name, at] of unnamed) {
    // A macro's rows have no name unless they are given one.
    if (owners.has(name) && !Number.isNaN(at))
      insertions.push({ at: endOfCall(bytes, at), text: ` AS ${name}` });
  }
  const used = usedSteps(root);
  const references = found.flatMap(({ reference, step }) =>
    step === undefined || used.has(step) ? [reference] : [],
  );
  return { references, insertions };
}

function usedSteps(root: Step): Set<Step> {
  const used = new Set([root]);
  // A set is gone through to its end, what is added meanwhile included.
  for (const step of used) for (const other of step.uses) used.add(other);
  return used;
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

function hasTables(scope: Scope | undefined): boolean {
  for (let at = scope; at !== undefined; at = at.outer) if (at.levels.size > 0) return true;
  return false;
}

/** The columns that an expression names itself, not in a subquery. */
function ownColumns(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(ownColumns);
  if (!isRecord(value) || queryTypes.has(textOf(value, 'type'))) return [];
  const names = columnNames(value);
  if (names.length > 0) return isClock(names) ? [] : [names.join('.')];
  return value.class === 'LAMBDA' ? [] : Object.values(value).flatMap(ownColumns);
}

function levelOf(name: string, isTable: boolean, scope: Scope): number {
  let level = none;
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    const named = isTable ? at.levels.get(name.toLowerCase()) : undefined;
    if (named !== undefined) return named;
    if (!isTable) level = Math.max(level, ...at.levels.values());
  }
  return level;
}

/** These read like columns and are none. */
const clockWords: ReadonlySet<string> = new Set([
  'current_date',
  'current_time',
  'current_timestamp',
  'localtime',
  'localtimestamp',
]);

function isClock([name = '', ...more]: readonly string[]): boolean {
  return more.length === 0 && clockWords.has(name.toLowerCase());
}

/** These differ each time. */
const randomFunctions: ReadonlySet<string> = new Set([
  'gen_random_uuid',
  'random',
  'uuid',
  'uuidv4',
  'uuidv7',
]);

/** Whether an expression has the same value in every row, whatever the parameters of its view. */
function isConstant(value: Node, parameters: ReadonlySet<string>): boolean {
  for (const node of within(value)) {
    const names = columnNames(node);
    const isParameter = names.length === 1 && parameters.has(names[0]?.toLowerCase() ?? '');
    if (names.length > 0 && !isClock(names) && !isParameter) return false;
    if (node.class === 'SUBQUERY' || node.class === 'POSITIONAL_REFERENCE') return false;
    if (randomFunctions.has(textOf(node, 'function_name').toLowerCase())) return false;
  }
  return true;
}
