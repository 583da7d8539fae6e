/** What a statement's tree says of the numbers and days in its answer: what adds up, and what does not. */
import { isRecord } from '../core/json.ts';
import { columnNames, type Node, nodeOf, nodesOf, textOf } from './process/tree.ts';

/**
 * What an output column is made of. `sum` and `count` add up over rows. `distinct` counts, and does not
 * add up; neither do `percent` (100 times a quotient), `ratio` (a quotient) and `other` (medians, running
 * sums, ...). `column` is a table's own.
 */
export type OutputKind = 'sum' | 'count' | 'distinct' | 'percent' | 'ratio' | 'column' | 'other';

export interface OutputColumn {
  /** Empty where the statement gives it none. */
  name: string;
  kind: OutputKind;
  /** The table's column that is passed on or summed, with its dots. */
  of?: string;
  /** The tables that it may be of. */
  tables?: readonly string[];
  /** What days are truncated to: `week`; `day` where they are not. */
  grain?: string;
}

/** A statement's answer, as far as its tree tells. */
export interface Output {
  /** In the order of the answer, but for the columns of a star over tables. */
  columns: readonly OutputColumn[];
  /** The tables that a star passes on. */
  rest?: readonly string[];
  /** The LIMIT of the answer. */
  limit?: number;
}

/** What is known of the columns of an answer, by their names. */
export function describeColumns(
  { columns, rest }: Output,
  names: readonly string[],
): OutputColumn[] {
  return names.map((name, index): OutputColumn => {
    if (!rest) return columns[index] ?? { name, kind: 'other' };
    const own = columns.find((column) => column.name === name);
    return own ?? { name, kind: 'column', of: name, tables: rest };
  });
}

/** Reads the outermost query of a tree (`json_serialize_sql`). */
export function readOutput(query: Node): Output {
  const limit = numberOf(
    nodesOf(query, 'modifiers').find(({ type }) => type === 'LIMIT_MODIFIER')?.limit,
  );
  return { ...outputsOf(query, new Map()), ...(limit !== undefined && { limit }) };
}

/** WITH steps by name, in small letters. */
export type Steps = ReadonlyMap<string, Output>;

/** What a column is made of. */
export type Measure = Omit<OutputColumn, 'name'>;

/** A table in FROM: its name or alias, and its columns where it is a query. */
export interface Source {
  alias: string;
  table: string;
  output: Output | undefined;
}

/** What a query gives. */
export function outputsOf(query: Node, outer: Steps): Output {
  const steps = new Map(outer);
  for (const { key, value } of nodesOf(nodeOf(query, 'cte_map'), 'map')) {
    const step = nodeOf(nodeOf(isRecord(value) ? value : {}, 'query'), 'node');
    if (step) steps.set(String(key).toLowerCase(), outputsOf(step, steps));
  }
  if (query.type === 'CTE_NODE') return outputsOf(nodeOf(query, 'child') ?? {}, steps);
  if (query.type === 'SET_OPERATION_NODE') {
    const [left, right] = ['left', 'right'].map((side) =>
      outputsOf(nodeOf(query, side) ?? {}, steps),
    );
    const columns = (left?.columns ?? []).map((column, index): OutputColumn => {
      const isAlike = column.kind === right?.columns[index]?.kind;
      return isAlike ? column : { name: column.name, kind: 'other' };
    });
    return { columns };
  }
  const sources = sourcesOf(nodeOf(query, 'from_table'), steps);
  const list = nodesOf(query, 'select_list');
  const columns = list.flatMap((item): readonly OutputColumn[] => {
    if (item.class === 'STAR') return sources.flatMap(({ output }) => output?.columns ?? []);
    const name = textOf(item, 'alias') || columnNames(item).at(-1) || '';
    const grain = grainOf(item, sources);
    return [{ ...measureOf(item, sources), name, ...(grain !== undefined && { grain }) }];
  });
  const isWhole = list.every((item) => item.class !== 'STAR');
  return { columns, ...(!isWhole && { rest: passedOn(sources) }) };
}

/** The tables whose columns a star passes on. */
function passedOn(sources: readonly Source[]): string[] {
  return sources.flatMap(({ table, output }) => (output ? (output.rest ?? []) : [table]));
}

/** The tables that FROM names. */
export function sourcesOf(table: Node | undefined, steps: Steps): Source[] {
  if (!table) return [];
  if (table.type === 'JOIN')
    return [table.left, table.right].flatMap((side) =>
      sourcesOf(isRecord(side) ? side : undefined, steps),
    );
  const subquery = nodeOf(nodeOf(table, 'subquery'), 'node');
  const name = textOf(table, 'table_name') || textOf(nodeOf(table, 'function'), 'function_name');
  return [
    {
      alias: (textOf(table, 'alias') || name).toLowerCase(),
      table: name.toLowerCase(),
      output: subquery ? outputsOf(subquery, steps) : steps.get(name.toLowerCase()),
    },
  ];
}

const sums = new Set(['sum', 'sum_no_overflow', 'fsum', 'kahan_sum', 'sumkahan']);
const counts = new Set(['count', 'count_star', 'count_if', 'countif']);
const wrappers = new Set(['round', 'coalesce', 'ifnull']);

function measureOf(item: Node, sources: readonly Source[]): Measure {
  const inner = nodeOf(item, 'child');
  if (item.class === 'CAST' && inner) return measureOf(inner, sources);
  const names = columnNames(item);
  if (names.length > 0) return traced(names, sources);
  const name = textOf(item, 'function_name').toLowerCase();
  const [first, second] = [...nodesOf(item, 'children'), ...nodesOf(item, 'child')];
  if (item.class === 'OPERATOR' && item.type === 'OPERATOR_COALESCE' && first)
    return measureOf(first, sources);
  if (item.class !== 'FUNCTION') return { kind: 'other' };
  if (counts.has(name)) return { kind: item.distinct === true ? 'distinct' : 'count' };
  if (sums.has(name) && item.distinct !== true)
    return { ...(first && measureOf(first, sources)), kind: 'sum' };
  if (!first) return { kind: 'other' };
  if (wrappers.has(name)) return measureOf(first, sources);
  if (!second) return name === '-' ? measureOf(first, sources) : { kind: 'other' };
  return combined(name, first, second, sources);
}

/** Two columns of what adds up make one; a number beside one scales it. */
function combined(operator: string, a: Node, b: Node, sources: readonly Source[]): Measure {
  const [left, right] = [measureOf(a, sources), measureOf(b, sources)];
  if (operator === '+' || operator === '-') {
    const doAdd = [left, right].every(({ kind }) => kind === 'sum' || kind === 'count');
    return !doAdd ? { kind: 'other' } : left.kind === 'sum' ? left : right;
  }
  if (operator !== '*' && operator !== '/') return { kind: 'other' };
  const [scale, other] = [numberOf(a) ?? numberOf(b), numberOf(a) === undefined ? left : right];
  if (operator === '/' && numberOf(b) === undefined) {
    const isPercent = left.kind === 'percent' || right.kind === 'percent' || isTimes100(a);
    return { kind: isPercent ? 'percent' : 'ratio' };
  }
  if (scale === undefined) return { kind: 'other' };
  return other.kind === 'ratio' && operator === '*' && scale === 100 ? { kind: 'percent' } : other;
}

function isTimes100(item: Node): boolean {
  return (
    textOf(item, 'function_name') === '*' &&
    nodesOf(item, 'children').some((factor) => numberOf(factor) === 100)
  );
}

/** The column that a name passes on: of a query in FROM what that makes of it, else the table's own. */
export function traced(names: readonly string[], sources: readonly Source[]): Measure {
  const [first = ''] = names;
  const owner =
    names.length > 1 ? sources.find(({ alias }) => alias === first.toLowerCase()) : undefined;
  const path = owner ? names.slice(1) : names;
  const candidates = owner ? [owner] : sources;
  const name = path.join('.').toLowerCase();
  const made = candidates
    .flatMap(({ output }) => output?.columns ?? [])
    .find((column) => column.name.toLowerCase() === name);
  if (made) return made;
  return { kind: 'column', of: path.join('.'), tables: passedOn(candidates) };
}

/** `day` of a column or of its CAST to DATE, the unit of date_trunc; undefined of what is computed otherwise. */
function grainOf(item: Node, sources: readonly Source[]): string | undefined {
  const inner = nodeOf(item, 'child');
  if (item.class === 'CAST' && inner) return grainOf(inner, sources);
  const names = columnNames(item);
  if (names.length > 0) {
    const column = traced(names, sources);
    return column.grain ?? (column.kind === 'column' ? 'day' : undefined);
  }
  if (!/^date_?trunc$/i.test(textOf(item, 'function_name'))) return undefined;
  const [unit] = nodesOf(item, 'children');
  const value = nodeOf(unit, 'value')?.value;
  return typeof value === 'string' ? value.toLowerCase() : undefined;
}

/** The number that a constant is; a decimal is written without its point, with its scale. */
function numberOf(item: unknown): number | undefined {
  if (!isRecord(item) || item.class !== 'CONSTANT') return undefined;
  const { value, type } = nodeOf(item, 'value') ?? {};
  const info = isRecord(type) ? nodeOf(type, 'type_info') : undefined;
  const scale = typeof info?.scale === 'number' ? info.scale : 0;
  return typeof value === 'number' ? value / 10 ** scale : undefined;
}
