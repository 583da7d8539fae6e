/** Lints of a report's facts: figures that repeat, that are a part, that do not add up. */
import { isPercentage } from '../../../core/column-name.ts';
import { quoteText } from '../../../core/text.ts';
import { isSum } from '../columns.ts';
import {
  columnNames,
  conjunction,
  conjuncts,
  constantText,
  type Node,
  nodeOf,
  nodesIn,
  nodesOf,
  numberOf,
  textOf,
} from '../tree.ts';
import type { Lint, LintContext } from './lint-context.ts';
import { type Fact, hintMessages } from './messages.ts';

const aggregates =
  /^(sum|avg|mean|fsum|kahan_sum|count|count_star|min|max|median|any_value|first)$/;
const sums = /^(sum|avg|mean|fsum|kahan_sum)$/;

/** Facts that a SELECT adds up, or takes one of, although they repeat each other. */
export const doubledFacts: Lint = async (node, context) => {
  const { select, sqlOf, rowsOf } = context;
  if (node !== select) return undefined;
  const isCall = (it: Node, names: RegExp) =>
    it.class === 'FUNCTION' && names.test(textOf(it, 'function_name').toLowerCase());
  const items = nodesOf(select, 'select_list');
  const sum = [...nodesIn(items)].find((it) => isCall(it, sums) && factIn(it, /^value$/, context));
  const value = sum
    ? factIn(sum, /^value$/, context)
    : items.find((it) => isFact(it, /^value$/, context));
  const isOne = nodesOf(select, 'modifiers').some(({ limit }) => numberOf(limit) === 1);
  if (value === undefined || !(sum || isOne)) return undefined;
  const keys = items.filter((it) => ![...nodesIn(it)].some((one) => isCall(one, aggregates)));
  if (keys.some((it) => it.class === 'STAR' || isFact(it, /^(path|line)$/, context)))
    return undefined;
  const total = { class: 'FUNCTION', type: 'FUNCTION', function_name: 'sum', children: [value] };
  const sql = await sqlOf({
    ...ungrouped(select),
    select_list: [
      beside(value, 'measure'),
      beside(value, 'path'),
      sum ?? total,
      ...(sum ? keys : []),
    ],
    aggregate_handling: 'FORCE_AGGREGATES',
  });
  const groups = await rowsOf(
    `SELECT measure, list(path ORDER BY length(path), path), list(held::DOUBLE ORDER BY length(path), path), * EXCLUDE (measure, path, held)
     FROM (${sql}) facts(measure, path, held) WHERE held <> 0 GROUP BY ALL ORDER BY len(list(path)) DESC, measure DESC`,
  );
  for (const [measure, ofPaths = [], ofHeld = []] of groups) {
    const [paths, held] = [[ofPaths].flat().map(String), [ofHeld].flat().map(Number)];
    if (!isDoubled(paths, held)) continue;
    const most = Math.max(...held);
    return hintMessages.repeated_facts({
      sum: sum && textOf(sum, 'function_name'),
      measure: String(measure),
      paths,
      path: paths[held.indexOf(most)] ?? '',
      value: sum && keys.length === 0 ? most : undefined,
    });
  }
  return undefined;
};

function isFact(node: Node, names: RegExp, { columnOf }: LintContext): boolean {
  const source = columnOf(node);
  return source?.isOfFacts === true && names.test(source.column);
}

function factIn(part: unknown, names: RegExp, context: LintContext): Node | undefined {
  return [...nodesIn(part)].find((it) => isFact(it, names, context));
}

function beside(column: Node, name: string): Node {
  return { ...column, alias: '', column_names: [...columnNames(column).slice(0, -1), name] };
}

/** A SELECT of the rows that a query reads, with another WHERE and without what follows it. */
function rowsWhere(select: Node, where: Node | undefined, columns: readonly Node[]): Node {
  const { having: _, qualify: __, where_clause: ___, ...rows } = ungrouped(select);
  return {
    ...rows,
    ...(where && { where_clause: where }),
    aggregate_handling: 'STANDARD_HANDLING',
    select_list: columns,
  };
}

function ungrouped(select: Node): Node {
  const clauses = ['cte_map', 'modifiers', 'group_expressions', 'group_sets'];
  return Object.fromEntries(Object.entries(select).filter(([key]) => !clauses.includes(key)));
}

/** Parts of a whole differ, and none holds another; the same again is equal, or all others together. */
function isDoubled(paths: readonly string[], held: readonly number[]): boolean {
  const all = held.reduce((sum, part) => sum + part, 0);
  const isSame = (a: number, b = Number.NaN) => Math.abs(a - b) < 0.005;
  return paths.some((path, index) => {
    const isInner = (other: string, at: number) =>
      at > index && (other.startsWith(`${path}.`) || isSame(held[at] ?? 0, held[index]));
    return isSame(all, 2 * (held[index] ?? 0)) || paths.some(isInner);
  });
}

/**
 * Facts of one path alone that are a part of others: conditions on measure and split chose `direct_paid`, say,
 * while with `not_paid_now` it makes up the total.
 */
export const partOfFacts: Lint = async (node, context) => {
  const { select, sqlOf, rowsOf } = context;
  const where = nodeOf(select, 'where_clause');
  if (node !== select || where === undefined) return undefined;
  const items = nodesOf(select, 'select_list');
  const value = factIn(items, /^value$/, context);
  const isPathKnown = factIn([items, where], /^(path|line)$/, context);
  const conditions = conjuncts(where);
  const others = conditions.filter((it) => !factIn(it, /^measure$/, context));
  if (value === undefined || isPathKnown || others.length === conditions.length) return undefined;
  const columns = ['path', 'measure', 'split', 'value'].map((name) => beside(value, name));
  const factsWhere = async (clause: Node | undefined) =>
    `(${await sqlOf(rowsWhere(select, clause, columns))}) facts(path, measure, split, value)`;
  const [[chosen, paths, measure, split, held] = []] = await rowsOf(
    `SELECT min(path), count(DISTINCT path), min(measure), min(split), sum(value)::DOUBLE FROM ${await factsWhere(where)}`,
  );
  if (Number(paths) !== 1) return undefined;
  const groups = await rowsOf(
    `SELECT path, measure, sum(value)::DOUBLE FROM ${await factsWhere(conjunction(others))}
     WHERE split = ${quoteText(String(split))} AND value <> 0 GROUP BY path, measure ORDER BY length(path), path`,
  );
  const part = { path: String(chosen), measure: String(measure), value: Number(held) };
  const section = (path: string) => path.split('.')[0];
  const elsewhere = groups
    .map(([path, name, value]): Fact => {
      return { path: String(path), measure: String(name), value: Number(value) };
    })
    .filter(({ path }) => section(path) !== section(part.path));
  for (const rest of elsewhere) {
    const makesUp = ({ value }: Fact) => Math.abs(value - part.value - rest.value) < 0.005;
    const whole = elsewhere.find((it) => section(it.path) !== section(rest.path) && makesUp(it));
    if (whole) return hintMessages.part_of_facts({ part, rest, whole });
  }
  return undefined;
};

/** Functions that make one figure of several, however they weigh them. */
const mixers =
  /^(sum|sum_no_overflow|fsum|kahan_sum|sumkahan|avg|mean|favg|median|mad|product|geo.*mean|.*quantile.*|stddev.*|var.*)$/;

/** Figures of a comparison that are added up over several measures, such as turnover without VAT and with it. */
export const mixedMeasures: Lint = async (node, context) => {
  const { select, nodes } = context;
  const calls = nodes.filter((it) => mixers.test(textOf(it, 'function_name').toLowerCase()));
  for (const call of node === select ? calls : []) {
    const warning = await mixedBy(call, context);
    if (warning) return warning;
  }
  return undefined;
};

const mixedBy: Lint = async (node, { select, columnOf, mentions, sqlOf, rowsOf }) => {
  const inner = [...nodesIn(nodesOf(node, 'children'))];
  const figure = inner.find((it) => columnOf(it)?.isCompared);
  const source = columnOf(figure);
  // One that chooses by measure itself, as a CASE does, adds up what it chose.
  const isChosen = inner.some((it) => columnNames(it).at(-1)?.toLowerCase() === 'measure');
  if (!figure || !source || isChosen) return undefined;
  const list = { function_name: 'list', distinct: true, alias: 'held' };
  const added = { ...node, ...list, children: [beside(figure, 'measure')] };
  const rows = {
    ...select,
    modifiers: [],
    select_list: [...nodesOf(select, 'select_list'), added],
  };
  // A statement that names no measure separates none, and a step may not pass them on.
  const from = mentions('measure')
    ? `(${await sqlOf(rows)})`
    : `(SELECT list(DISTINCT measure) held FROM ${source.from})`;
  const [[held = []] = []] = await rowsOf(
    `SELECT list_sort(list_filter(held, one -> one IS NOT NULL)) AS measures FROM ${from} WHERE len(measures) > 1 LIMIT 1`,
  );
  const measures = [held].flat().map(String);
  if (measures.length === 0) return undefined;
  const { table, column } = source;
  const sum = textOf(node, 'function_name').toLowerCase();
  return hintMessages.mixed_measures({ sum, column, table, measures });
};

const maxPaths = 14;

/** Conditions on the facts of a report that none of them meets. */
export const unmetFacts: Lint = async (node, context) => {
  const { select, columnOf, sqlOf, rowsOf } = context;
  if (node !== select) return undefined;
  const conditions = conjuncts(nodeOf(select, 'where_clause')).filter((condition) =>
    factIn(condition, /^(path|measure|split)$/, context),
  );
  const fact = factIn(conditions, /^(path|measure|split)$/, context);
  const source = columnOf(fact);
  if (fact === undefined || source === undefined) return undefined;
  const kept = await sqlOf(rowsWhere(select, conjunction(conditions), [fact]));
  const [[count] = []] = await rowsOf(`SELECT count(*) FROM (${kept})`);
  if (Number(count) > 0) return undefined;
  const wanted = [...nodesIn(conditions)].flatMap((it) => constantText(it) ?? []).join('.');
  const nearness = `max(jaro_winkler_similarity(concat_ws('.', nullif(path, ''), measure), ${quoteText(wanted)}))`;
  const factsByPath = await rowsOf(
    `SELECT path, list(DISTINCT measure ORDER BY measure) FROM ${source.from}
     WHERE measure IS NOT NULL GROUP BY path ORDER BY ${nearness} DESC, path`,
  );
  const paths = factsByPath.map(([path, measures]) => {
    return { path: String(path), measures: [measures ?? []].flat().map(String) };
  });
  if (paths.length === 0) return undefined;
  const others = Math.max(0, paths.length - maxPaths);
  return hintMessages.no_facts({
    table: source.table,
    paths: paths.slice(0, maxPaths),
    more: others,
  });
};

/** Percentages that are added up: each is of a whole of its own. */
export const summedPercentages: Lint = async (node, { select, columnOf, rowsOf }) => {
  if (!isSum(node)) return undefined;
  const [child] = nodesOf(node, 'children');
  const source = columnOf(child);
  if (source === undefined) return undefined;
  const { table, column, from, isOfFacts } = source;
  if (isPercentage(column)) return hintMessages.summed_percentages({ column, table });
  if (!isOfFacts || column !== 'value') return undefined;
  const named = [...nodesIn(nodeOf(select, 'where_clause'))].flatMap(
    (it) => constantText(it) ?? [],
  );
  const chosen = named.filter(isPercentage).map(quoteText);
  if (chosen.length === 0) return undefined;
  const [[facts] = []] = await rowsOf(
    `SELECT count(*) FROM ${from} WHERE measure IN (${chosen.join(', ')})`,
  );
  const summed = { column, table, facts: Number(facts) };
  return summed.facts > 1 ? hintMessages.summed_percentages({ ...summed }) : undefined;
};
