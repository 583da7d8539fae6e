/** The columns of a statement by its tree: of which tables they are, and which of them add up. */
import { isRecord } from '../../core/json.ts';
import type { AnswerColumn, ColumnMeaning, SqlColumn } from '../protocol.ts';
import {
  columnNames,
  constantText,
  isQuery,
  type Node,
  namesIn,
  nodeOf,
  nodesIn,
  nodesOf,
  numberOf,
  queryIn,
  tableName,
  textOf,
  uncast,
} from './tree.ts';

/** The columns that a query gives. */
export interface Output {
  /** In their order, but for those of a star over tables; a name may be empty. */
  columns: readonly (ColumnMeaning & { name: string })[];
  /** The tables that a star passes on. */
  rest?: readonly string[];
}

/** A table in FROM: its name or alias, and what it gives where it is a query. */
export interface Source {
  alias: string;
  table: string;
  output: Output | undefined;
}

/** The steps and tables that a query can name besides its own, and who is told while it is read. */
export interface Scope {
  /** WITH steps by their names in small letters. */
  steps: ReadonlyMap<string, Output>;
  /** The same steps as they are defined. */
  definitions: readonly Node[];
  /** The tables of the queries around. */
  outer: readonly Source[];
  /** Each name in FROM, those that it waits for first; `query` is the one whose FROM it is. */
  onTable?(table: Node, isStep: boolean, query: Node): void;
  /** Each SELECT with the tables of its FROM. */
  onSelect?(select: Node, sources: readonly Source[], scope: Scope): void;
}

/** The columns of an answer with what is known of them: by their names, where there is a star. */
export function meaningsOf(
  { columns: outputs, rest }: Output,
  columns: readonly SqlColumn[],
): AnswerColumn[] {
  return columns.map((column, index) => {
    const { name } = column;
    const known = rest ? outputs.find((it) => it.name === name) : outputs[index];
    const unknown = rest ? ({ kind: 'column', column: name, tables: rest } as const) : other;
    return { ...(known ?? unknown), ...column };
  });
}

const other: ColumnMeaning = { kind: 'other' };

/** Reads a query and all that are within it. */
export function outputOf(query: Node, around: Partial<Scope>): Output {
  const steps = new Map(around.steps);
  const definitions = [...(around.definitions ?? [])];
  const scope: Scope = { outer: [], ...around, steps, definitions };
  for (const step of nodesOf(nodeOf(query, 'cte_map'), 'map')) {
    const defined = nodeOf(nodeOf(nodeOf(step, 'value'), 'query'), 'node');
    const aliases = namesIn(nodeOf(step, 'value'), 'aliases');
    if (defined)
      steps.set(textOf(step, 'key').toLowerCase(), renamed(outputOf(defined, scope), aliases));
    definitions.push(step);
  }
  if (query.type === 'RECURSIVE_CTE_NODE')
    steps.set(textOf(query, 'cte_name').toLowerCase(), { columns: [] });
  const { cte_map: _, from_table: from, left, right, ...parts } = query;
  const sides = [left, right].filter(isRecord).map((side) => outputOf(side, scope));
  const sources = isRecord(from) ? sourcesOf(from, scope, query) : [];
  const outer = [...sources, ...scope.outer];
  for (const inner of queriesIn(parts)) outputOf(inner, { ...scope, outer });
  if (query.type !== 'SELECT_NODE') return unitedOutput(sides);
  scope.onSelect?.(query, sources, scope);
  const list = nodesOf(query, 'select_list');
  const ofStar = (item: Node) => {
    const relation = textOf(item, 'relation_name').toLowerCase();
    return sources.filter(({ alias }) => relation === '' || alias === relation);
  };
  const columns = list.flatMap((item) => {
    if (item.class === 'STAR') return ofStar(item).flatMap(({ output }) => output?.columns ?? []);
    const name = textOf(item, 'alias') || columnNames(item).at(-1) || '';
    const grain = grainOf(item, sources);
    return [{ ...measureOf(item, sources), name, ...(grain !== undefined && { grain }) }];
  });
  const stars = list.filter((item) => item.class === 'STAR');
  return { columns, ...(stars.length > 0 && { rest: passedOn(stars.flatMap(ofStar)) }) };
}

function unitedOutput([left, right]: readonly Output[]): Output {
  const columns = (left?.columns ?? []).map((column, index) => {
    const isAlike = column.kind === right?.columns[index]?.kind;
    return isAlike ? column : { ...other, name: column.name };
  });
  return { columns };
}

/** The queries that stand directly in a part of a tree. */
export function queriesIn(part: Node): Node[] {
  return [...nodesIn(part, { ownOnly: true })].filter((node) => node !== part && isQuery(node));
}

export function passedOn(sources: readonly Source[]): string[] {
  return sources.flatMap(({ table, output }) => (output ? (output.rest ?? []) : [table]));
}

/** The tables of a FROM, each of which can name those before it, after what is in their arguments and conditions. */
function sourcesOf(table: Node, around: Scope, query: Node): Source[] {
  const { left, right, source, subquery: _, ...parts } = table;
  let scope = around;
  const sources: Source[] = [];
  for (const side of [left, right, source].filter(isRecord)) {
    sources.push(...sourcesOf(side, scope, query));
    scope = { ...around, outer: [...sources, ...around.outer] };
  }
  for (const inner of queriesIn(parts)) outputOf(inner, scope);
  if (table.type === 'JOIN') return sources;
  const name = tableName(table).toLowerCase();
  const inner = queryIn(table);
  let output = inner && outputOf(inner, scope);
  if (table.type === 'BASE_TABLE' || table.type === 'TABLE_FUNCTION') {
    // A recursion may name its rows so far as `recurring.name`, too.
    const canBeStep = /^(recurring)?$/.test(textOf(table, 'schema_name'));
    output = canBeStep && table.type === 'BASE_TABLE' ? scope.steps.get(name) : undefined;
    scope.onTable?.(table, output !== undefined, query);
  }
  const aliases = namesIn(table, 'column_name_alias');
  // The columns of a function have no other names than these.
  if (aliases.length > 0) output = renamed(output ?? { columns: [], rest: [name] }, aliases);
  const own = { alias: (textOf(table, 'alias') || name).toLowerCase(), table: name, output };
  // A PIVOT passes columns on, beside those that it makes.
  return table.type === 'PIVOT' ? [own, ...sources] : [own];
}

function renamed({ columns, ...rest }: Output, names: readonly string[]): Output {
  const first = names.map((name, at) => ({ ...(columns[at] ?? other), name }));
  return { ...rest, columns: [...first, ...columns.slice(names.length)] };
}

const counts = /^(count|count_star|count_if|countif)$/;
const wrappers = /^(round|coalesce|ifnull)$/;

/** Whether an expression is a sum. */
export function isSum(item: Node): boolean {
  const name = textOf(item, 'function_name').toLowerCase();
  return /^(sum|sum_no_overflow|fsum|kahan_sum|sumkahan)$/.test(name);
}

function measureOf(expression: Node, sources: readonly Source[]): ColumnMeaning {
  const item = uncast(expression);
  const names = columnNames(item);
  if (names.length > 0) return traced(names, sources);
  const name = textOf(item, 'function_name').toLowerCase();
  const [first, second] = nodesOf(item, 'children');
  if (item.type === 'OPERATOR_COALESCE' && first) return measureOf(first, sources);
  if (item.class !== 'FUNCTION') return other;
  if (counts.test(name)) return { kind: item.distinct === true ? 'distinct' : 'count' };
  if (!first) return other;
  if (isSum(item) && item.distinct !== true) return { ...measureOf(first, sources), kind: 'sum' };
  if (wrappers.test(name) || (name === '-' && !second)) return measureOf(first, sources);
  return second ? combined(name, first, second, sources) : other;
}

/** Two columns of what adds up make one; a number next to one scales it. */
function combined(operator: string, a: Node, b: Node, sources: readonly Source[]): ColumnMeaning {
  const [left, right] = [measureOf(a, sources), measureOf(b, sources)];
  const [first, second] = [numberOf(a), numberOf(b)];
  if (operator === '+' || operator === '-') {
    const doAdd = [left, right].every(({ kind }) => kind === 'sum' || kind === 'count');
    if (doAdd) return left.kind === 'sum' ? left : right;
  }
  if (operator === '/' && second === undefined) {
    const factors = a.function_name === '*' ? nodesOf(a, 'children').map(numberOf) : [];
    const isPercent = [left.kind, right.kind].includes('percent') || factors.includes(100);
    return { kind: isPercent ? 'percent' : 'ratio' };
  }
  if (operator === '/') return left;
  const [scale, scaled] = second === undefined ? [first, right] : [second, left];
  if (operator !== '*' || scale === undefined) return other;
  return scaled.kind === 'ratio' && scale === 100 ? { kind: 'percent' } : scaled;
}

/** The column that a name passes on: of a query in FROM what that makes of it, else the table's own. */
export function traced(names: readonly string[], sources: readonly Source[]): ColumnMeaning {
  const first = names.length > 1 ? names[0]?.toLowerCase() : undefined;
  const owner = sources.find(({ alias }) => alias === first);
  const path = owner ? names.slice(1) : names;
  const candidates = owner ? [owner] : sources;
  const name = path.join('.').toLowerCase();
  const computed = candidates
    .flatMap(({ output }) => output?.columns ?? [])
    .find((it) => it.name.toLowerCase() === name);
  return computed ?? { kind: 'column', column: path.join('.'), tables: passedOn(candidates) };
}

/** `day` of a column or of its CAST to DATE, the unit of date_trunc; undefined of what is computed otherwise. */
function grainOf(expression: Node, sources: readonly Source[]): string | undefined {
  const item = uncast(expression);
  const names = columnNames(item);
  if (names.length > 0) {
    const column = traced(names, sources);
    return column.grain ?? (column.kind === 'column' ? 'day' : undefined);
  }
  if (!/^date_?trunc$/i.test(textOf(item, 'function_name'))) return undefined;
  return constantText(nodesOf(item, 'children')[0])?.toLowerCase();
}
