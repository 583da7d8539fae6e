/** Finds in a statement's tree which tables its columns come from, and which of them add up. */
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
  /** In order, without those of a star over tables; a name may be empty. */
  columns: readonly (ColumnMeaning & { name: string })[];
  /** The tables whose columns a star passes on. */
  starTables?: readonly string[];
}

/** A table in FROM; `output` is set where it is a query. */
export interface Source {
  alias: string;
  table: string;
  output: Output | undefined;
}

/** A place in a query: the tables before it in FROM, and the place of the query in another. */
export interface Place {
  query: Node;
  from: Node | undefined;
  outer: Place | undefined;
}

/** The steps and tables that a query can name besides its own, and callbacks for a walk through it. */
export interface Scope {
  /** WITH steps by their names in lower case. */
  steps: ReadonlyMap<string, Output>;
  /** The nodes of these steps. */
  definitions: readonly Node[];
  /** The tables of outer queries. */
  outer: readonly Source[];
  place: Place | undefined;
  /** Called for each table in FROM, after the tables that its arguments need. */
  onTable?(table: Node, isStep: boolean, scope: Scope): void;
  /** Called for each SELECT with the tables of its FROM. */
  onSelect?(select: Node, sources: readonly Source[], scope: Scope): void;
}

/** Adds their meanings to the columns of an answer: by place, or by name where there is a star. */
export function meaningsOf(
  { columns: outputs, starTables }: Output,
  columns: readonly SqlColumn[],
): AnswerColumn[] {
  return columns.map((column, index) => {
    const { name } = column;
    const meaning = starTables
      ? (outputs.find((output) => output.name === name) ??
        ({ kind: 'column', column: name, tables: starTables } as const))
      : outputs[index];
    return { ...(meaning ?? other), ...column };
  });
}

const other: ColumnMeaning = { kind: 'other' };

/** The columns of a query. It walks through all queries within it. */
export function outputOf(query: Node, outerScope: Partial<Scope>): Output {
  const steps = new Map(outerScope.steps);
  const definitions = [...(outerScope.definitions ?? [])];
  const scope: Scope = { outer: [], place: undefined, ...outerScope, steps, definitions };
  for (const step of nodesOf(nodeOf(query, 'cte_map'), 'map')) {
    const defined = nodeOf(nodeOf(nodeOf(step, 'value'), 'query'), 'node');
    const aliases = namesIn(nodeOf(step, 'value'), 'aliases');
    if (defined)
      steps.set(textOf(step, 'key').toLowerCase(), rename(outputOf(defined, scope), aliases));
    definitions.push(step);
  }
  if (query.type === 'RECURSIVE_CTE_NODE')
    steps.set(textOf(query, 'cte_name').toLowerCase(), { columns: [] });
  const { cte_map: _, from_table: from, left, right, ...parts } = query;
  const sides = [left, right].filter(isRecord).map((side) => {
    const output = outputOf(side, scope);
    // In the right side of a recursion, its name stands for the left side.
    const value = { query: { node: left }, materialized: 'CTE_MATERIALIZE_DEFAULT' };
    if (query.cte_name !== undefined) definitions.push({ key: query.cte_name, value });
    return output;
  });
  const place = { query, from: undefined, outer: scope.place };
  const sources = isRecord(from) ? sourcesOf(from, scope, place) : [];
  const innerScope = {
    ...scope,
    outer: [...sources, ...scope.outer],
    place: { ...place, from: nodeOf(query, 'from_table') },
  };
  for (const inner of queriesIn(parts)) outputOf(inner, innerScope);
  if (query.type !== 'SELECT_NODE') return unitedOutput(sides);
  scope.onSelect?.(query, sources, scope);
  const list = nodesOf(query, 'select_list');
  const sourcesOfStar = (item: Node) => {
    const relation = textOf(item, 'relation_name').toLowerCase();
    return sources.filter(({ alias }) => relation === '' || alias === relation);
  };
  const columns = list.flatMap((item) => {
    if (item.class === 'STAR')
      return sourcesOfStar(item).flatMap(({ output }) => output?.columns ?? []);
    const name = textOf(item, 'alias') || columnNames(item).at(-1) || '';
    const grain = grainOf(item, sources);
    return [{ ...measureOf(item, sources), name, ...(grain !== undefined && { grain }) }];
  });
  const stars = list.filter((item) => item.class === 'STAR');
  const starTables = tablesOf(stars.flatMap(sourcesOfStar));
  return { columns, ...(stars.length > 0 && { starTables }) };
}

function unitedOutput([left, right]: readonly Output[]): Output {
  const columns = (left?.columns ?? []).map((column, index) => {
    const isAlike = column.kind === right?.columns[index]?.kind;
    return isAlike ? column : { ...other, name: column.name };
  });
  return { columns };
}

/** The queries within a part of a tree, without those within them. */
function queriesIn(part: Node): Node[] {
  return [...nodesIn(part, { ownOnly: true })].filter((node) => node !== part && isQuery(node));
}

function tablesOf(sources: readonly Source[]): string[] {
  return sources.flatMap(({ table, output }) => (output ? (output.starTables ?? []) : [table]));
}

/** The tables of a FROM. Each can name those before it; queries in its arguments and conditions are walked first. */
function sourcesOf(table: Node, outerScope: Scope, outerPlace: Place): Source[] {
  const { left, right, source, subquery: _, ...parts } = table;
  let place = outerPlace;
  let outer = outerScope.outer;
  const sources: Source[] = [];
  for (const side of [left, right, source].filter(isRecord)) {
    sources.push(...sourcesOf(side, { ...outerScope, outer }, place));
    outer = [...sources, ...outerScope.outer];
    place = { ...place, from: joinTables(place.from, side) };
  }
  const scope = { ...outerScope, outer, place };
  for (const inner of queriesIn(parts)) outputOf(inner, scope);
  if (table.type === 'JOIN') return sources;
  const name = tableName(table).toLowerCase();
  const inner = queryIn(table);
  let output = inner && outputOf(inner, scope);
  if (table.type === 'BASE_TABLE' || table.type === 'TABLE_FUNCTION') {
    // A recursive step may also name its rows so far as `recurring.name`.
    const canBeStep = /^(recurring)?$/.test(textOf(table, 'schema_name'));
    output = canBeStep && table.type === 'BASE_TABLE' ? scope.steps.get(name) : undefined;
    scope.onTable?.(table, output !== undefined, scope);
  }
  const aliases = namesIn(table, 'column_name_alias');
  if (aliases.length > 0) output = rename(output ?? { columns: [], starTables: [name] }, aliases);
  const own = { alias: (textOf(table, 'alias') || name).toLowerCase(), table: name, output };
  // A PIVOT also passes on columns of its source.
  return table.type === 'PIVOT' ? [own, ...sources] : [own];
}

export function joinTables(left: Node | undefined, right: Node | undefined): Node | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return { type: 'JOIN', left, right, join_type: 'INNER', ref_type: 'CROSS' };
}

function rename({ columns, ...rest }: Output, names: readonly string[]): Output {
  const first = names.map((name, at) => ({ ...(columns[at] ?? other), name }));
  return { ...rest, columns: [...first, ...columns.slice(names.length)] };
}

const counts = /^(count|count_star|count_if|countif)$/;
const wrappers = /^(round|coalesce|ifnull)$/;

export function isSum(item: Node): boolean {
  const name = textOf(item, 'function_name').toLowerCase();
  return /^(sum|sum_no_overflow|fsum|kahan_sum|sumkahan)$/.test(name);
}

function measureOf(expression: Node, sources: readonly Source[]): ColumnMeaning {
  const item = uncast(expression);
  const names = columnNames(item);
  if (names.length > 0) return meaningOf(names, sources);
  const name = textOf(item, 'function_name').toLowerCase();
  const [first, second] = nodesOf(item, 'children');
  if (item.type === 'OPERATOR_COALESCE' && first) return measureOf(first, sources);
  if (item.class !== 'FUNCTION') return other;
  if (counts.test(name)) return { kind: item.distinct === true ? 'distinct' : 'count' };
  if (!first) return other;
  if (isSum(item) && item.distinct !== true) return { ...measureOf(first, sources), kind: 'sum' };
  if (wrappers.test(name) || (name === '-' && !second)) return measureOf(first, sources);
  return second ? pairMeaning(name, first, second, sources) : other;
}

/** A sum or difference of two sums is a sum; a number beside `*` or `/` only scales the other side. */
function pairMeaning(sign: string, a: Node, b: Node, sources: readonly Source[]): ColumnMeaning {
  const [left, right] = [measureOf(a, sources), measureOf(b, sources)];
  const [first, second] = [numberOf(a), numberOf(b)];
  if (sign === '+' || sign === '-') {
    const areAdditive = [left, right].every(({ kind }) => kind === 'sum' || kind === 'count');
    if (areAdditive) return left.kind === 'sum' ? left : right;
  }
  if (sign === '/' && second === undefined) {
    const factors = a.function_name === '*' ? nodesOf(a, 'children').map(numberOf) : [];
    const isPercent = [left.kind, right.kind].includes('percent') || factors.includes(100);
    return { kind: isPercent ? 'percent' : 'ratio' };
  }
  if (sign === '/') return left;
  const [scale, scaled] = second === undefined ? [first, right] : [second, left];
  if (sign !== '*' || scale === undefined) return other;
  return scaled.kind === 'ratio' && scale === 100 ? { kind: 'percent' } : scaled;
}

/** The meaning of a column that an expression names: that of the query in FROM which gives it, else a table's own. */
export function meaningOf(names: readonly string[], sources: readonly Source[]): ColumnMeaning {
  const first = names.length > 1 ? names[0]?.toLowerCase() : undefined;
  const owner = sources.find(({ alias }) => alias === first);
  const path = owner ? names.slice(1) : names;
  const candidates = owner ? [owner] : sources;
  const name = path.join('.').toLowerCase();
  const computed = candidates
    .flatMap(({ output }) => output?.columns ?? [])
    .find((column) => column.name.toLowerCase() === name);
  return computed ?? { kind: 'column', column: path.join('.'), tables: tablesOf(candidates) };
}

/** `day` for a column or its CAST to DATE, the unit for date_trunc; undefined for other expressions. */
function grainOf(expression: Node, sources: readonly Source[]): string | undefined {
  const item = uncast(expression);
  const names = columnNames(item);
  if (names.length > 0) {
    const column = meaningOf(names, sources);
    return column.grain ?? (column.kind === 'column' ? 'day' : undefined);
  }
  if (!/^date_?trunc$/i.test(textOf(item, 'function_name'))) return undefined;
  return constantText(nodesOf(item, 'children')[0])?.toLowerCase();
}
