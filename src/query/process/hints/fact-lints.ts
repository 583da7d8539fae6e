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
import { hintMessages, type ReportFigure } from './messages.ts';

const aggregates =
  /^(sum|avg|mean|fsum|kahan_sum|count|count_star|min|max|median|any_value|first)$/;
const sums = /^(sum|avg|mean|fsum|kahan_sum)$/;

/** Sums over facts that repeat the same money, and a LIMIT 1 that picks one of them. */
export const doubledFacts: Lint = async (node, context) => {
  const { select, sqlOf, rowsOf } = context;
  if (node !== select) return undefined;
  const isCall = (expression: Node, names: RegExp) =>
    expression.class === 'FUNCTION' &&
    names.test(textOf(expression, 'function_name').toLowerCase());
  const items = nodesOf(select, 'select_list');
  const sum = [...nodesIn(items)].find(
    (part) => isCall(part, sums) && factIn(part, /^value$/, context),
  );
  const value = sum
    ? factIn(sum, /^value$/, context)
    : items.find((item) => isFact(item, /^value$/, context));
  const isLimitOne = nodesOf(select, 'modifiers').some(({ limit }) => numberOf(limit) === 1);
  if (value === undefined || !(sum || isLimitOne)) return undefined;
  const keys = items.filter((item) => ![...nodesIn(item)].some((part) => isCall(part, aggregates)));
  if (keys.some((key) => key.class === 'STAR' || isFact(key, /^(path|line)$/, context)))
    return undefined;
  const total = { class: 'FUNCTION', type: 'FUNCTION', function_name: 'sum', children: [value] };
  const sql = await sqlOf({
    ...removeGrouping(select),
    select_list: [
      siblingColumn(value, 'measure'),
      siblingColumn(value, 'path'),
      sum ?? total,
      ...(sum ? keys : []),
    ],
    aggregate_handling: 'FORCE_AGGREGATES',
  });
  const groups = await rowsOf(
    `SELECT measure, list(path ORDER BY length(path), path), list(held::DOUBLE ORDER BY length(path), path), * EXCLUDE (measure, path, held)
     FROM (${sql}) facts(measure, path, held) WHERE held <> 0 GROUP BY ALL ORDER BY len(list(path)) DESC, measure DESC`,
  );
  for (const [measure, pathList = [], valueList = []] of groups) {
    const paths = [pathList].flat().map(String);
    const values = [valueList].flat().map(Number);
    if (!isDoubled(paths, values)) continue;
    const largest = Math.max(...values);
    return hintMessages.repeated_facts({
      sum: sum && textOf(sum, 'function_name'),
      measure: String(measure),
      paths,
      path: paths[values.indexOf(largest)] ?? '',
      value: sum && keys.length === 0 ? largest : undefined,
    });
  }
  return undefined;
};

function isFact(node: Node, names: RegExp, { columnOf }: LintContext): boolean {
  const source = columnOf(node);
  return source?.isOfFacts === true && names.test(source.column);
}

function factIn(part: unknown, names: RegExp, context: LintContext): Node | undefined {
  return [...nodesIn(part)].find((node) => isFact(node, names, context));
}

/** Another column of the same table. */
function siblingColumn(column: Node, name: string): Node {
  return { ...column, alias: '', column_names: [...columnNames(column).slice(0, -1), name] };
}

/** A SELECT of the rows that a query reads, under another WHERE and without its later clauses. */
function rowsWhere(select: Node, where: Node | undefined, columns: readonly Node[]): Node {
  const { having: _, qualify: __, where_clause: ___, ...rows } = removeGrouping(select);
  return {
    ...rows,
    ...(where && { where_clause: where }),
    aggregate_handling: 'STANDARD_HANDLING',
    select_list: columns,
  };
}

function removeGrouping(select: Node): Node {
  const clauses = ['cte_map', 'modifiers', 'group_expressions', 'group_sets'];
  return Object.fromEntries(Object.entries(select).filter(([key]) => !clauses.includes(key)));
}

/** Whether a value repeats: it equals another or the sum of all others, or its path lies within another. */
function isDoubled(paths: readonly string[], values: readonly number[]): boolean {
  const total = values.reduce((sum, part) => sum + part, 0);
  const isSame = (a: number, b = Number.NaN) => Math.abs(a - b) < 0.005;
  return paths.some((path, index) => {
    const isRepeated = (other: string, at: number) =>
      at > index && (other.startsWith(`${path}.`) || isSame(values[at] ?? 0, values[index]));
    return isSame(total, 2 * (values[index] ?? 0)) || paths.some(isRepeated);
  });
}

/**
 * Sums of one path that is only a part: conditions on measure and split chose `direct_paid`, which makes up the total
 * only together with `not_paid_now`.
 */
export const partOfFacts: Lint = async (node, context) => {
  const { select, sqlOf, rowsOf } = context;
  const where = nodeOf(select, 'where_clause');
  if (node !== select || where === undefined) return undefined;
  const items = nodesOf(select, 'select_list');
  const value = factIn(items, /^value$/, context);
  const isPathKnown = factIn([items, where], /^(path|line)$/, context);
  const conditions = conjuncts(where);
  const others = conditions.filter((condition) => !factIn(condition, /^measure$/, context));
  if (value === undefined || isPathKnown || others.length === conditions.length) return undefined;
  const columns = ['path', 'measure', 'split', 'value'].map((name) => siblingColumn(value, name));
  const factsWhere = async (clause: Node | undefined) =>
    `(${await sqlOf(rowsWhere(select, clause, columns))}) facts(path, measure, split, value)`;
  const [[chosen, paths, measure, split, amount] = []] = await rowsOf(
    `SELECT min(path), count(DISTINCT path), min(measure), min(split), sum(value)::DOUBLE FROM ${await factsWhere(where)}`,
  );
  if (Number(paths) !== 1) return undefined;
  const groups = await rowsOf(
    `SELECT path, measure, sum(value)::DOUBLE FROM ${await factsWhere(conjunction(others))}
     WHERE split = ${quoteText(String(split))} AND value <> 0 GROUP BY path, measure ORDER BY length(path), path`,
  );
  const part = { path: String(chosen), measure: String(measure), value: Number(amount) };
  const section = (path: string) => path.split('.')[0];
  const otherFacts = groups
    .map(([path, name, value]): ReportFigure => {
      return { path: String(path), measure: String(name), value: Number(value) };
    })
    .filter(({ path }) => section(path) !== section(part.path));
  for (const rest of otherFacts) {
    const whole = otherFacts.find(
      ({ path, value }) =>
        section(path) !== section(rest.path) && Math.abs(value - part.value - rest.value) < 0.005,
    );
    if (whole) return hintMessages.part_of_facts({ part, rest, whole });
  }
  return undefined;
};

/** Functions that make one figure of several. */
const mixers =
  /^(sum|sum_no_overflow|fsum|kahan_sum|sumkahan|avg|mean|favg|median|mad|product|geo.*mean|.*quantile.*|stddev.*|var.*)$/;

/** Sums of a comparison's figures over several measures, such as turnover without VAT and with it. */
export const mixedMeasures: Lint = async (node, context) => {
  const { select, nodes } = context;
  const calls = nodes.filter((part) => mixers.test(textOf(part, 'function_name').toLowerCase()));
  for (const call of node === select ? calls : []) {
    const warning = await mixedInCall(call, context);
    if (warning) return warning;
  }
  return undefined;
};

const mixedInCall: Lint = async (node, { select, columnOf, mentions, sqlOf, rowsOf }) => {
  const inner = [...nodesIn(nodesOf(node, 'children'))];
  const figure = inner.find((part) => columnOf(part)?.isCompared);
  const source = columnOf(figure);
  // An expression that names `measure`, such as a CASE, chooses by it.
  const isChosen = inner.some((part) => columnNames(part).at(-1)?.toLowerCase() === 'measure');
  if (!figure || !source || isChosen) return undefined;
  const list = { function_name: 'list', distinct: true, alias: 'held' };
  const added = { ...node, ...list, children: [siblingColumn(figure, 'measure')] };
  const rows = {
    ...select,
    modifiers: [],
    select_list: [...nodesOf(select, 'select_list'), added],
  };
  // A statement that never names `measure` mixes all, and its steps may not pass the column on.
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

/** Conditions on the facts of a report that no fact meets. */
export const unmetFacts: Lint = async (node, context) => {
  const { select, columnOf, sqlOf, rowsOf, countRows } = context;
  if (node !== select) return undefined;
  const conditions = conjuncts(nodeOf(select, 'where_clause')).filter((condition) =>
    factIn(condition, /^(path|measure|split)$/, context),
  );
  const fact = factIn(conditions, /^(path|measure|split)$/, context);
  const source = columnOf(fact);
  if (fact === undefined || source === undefined) return undefined;
  const kept = await sqlOf(rowsWhere(select, conjunction(conditions), [fact]));
  if ((await countRows(`(${kept})`)) > 0) return undefined;
  const wanted = [...nodesIn(conditions)].flatMap((part) => constantText(part) ?? []).join('.');
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

/** Sums of percentages of different amounts. */
export const summedPercentages: Lint = async (node, { select, columnOf, countRows }) => {
  if (!isSum(node)) return undefined;
  const [child] = nodesOf(node, 'children');
  const source = columnOf(child);
  if (source === undefined) return undefined;
  const { table, column, from, isOfFacts } = source;
  if (isPercentage(column)) return hintMessages.summed_percentages({ column, table });
  if (!isOfFacts || column !== 'value') return undefined;
  const constants = [...nodesIn(nodeOf(select, 'where_clause'))].flatMap(
    (part) => constantText(part) ?? [],
  );
  const chosen = constants.filter(isPercentage).map(quoteText);
  if (chosen.length === 0) return undefined;
  const facts = await countRows(from, `measure IN (${chosen.join(', ')})`);
  return facts > 1 ? hintMessages.summed_percentages({ column, table, facts }) : undefined;
};
