/** Sums over the facts of a report in which one euro stands more than once. */
import { columnNames, type Node, nodeOf, nodesOf, textOf, within } from '../tree.ts';
import { count, type Place } from './places.ts';

/** How much of a sum over facts each path holds. */
type Paths = Map<string, number>;

const sums: ReadonlySet<string> = new Set(['sum', 'avg', 'mean', 'fsum', 'kahan_sum']);
const aggregates =
  /^(sum|avg|mean|fsum|kahan_sum|count|count_star|min|max|median|any_value|first)$/;

/** Facts that a SELECT adds up, or takes one of, although they repeat each other. */
export async function doubledFacts(
  select: Node,
  { select: own, columnOf, sqlOf, database }: Place,
): Promise<string | undefined> {
  if (select !== own) return undefined;
  const items = nodesOf(select, 'select_list');
  const isOf = (node: Node, columns: RegExp) => {
    const found = columnOf(node);
    return columns.test(found?.column ?? '') && found?.columns.has('split') === true;
  };
  const isValue = (node: Node) => isOf(node, /^value$/);
  const sum = items
    .flatMap((item) => [...within(item)])
    .find((node) => isCalled(node, sums) && [...within(node)].some(isValue));
  const value = sum ? [...within(sum)].find(isValue) : items.find(isValue);
  if (value === undefined || (sum === undefined && !takesOne(select))) return undefined;
  // Groups that are dropped again, or hold each other, are not seen here.
  const having = nodeOf(select, 'having');
  const isChosen = having !== undefined && ![...within(having)].some(isAggregate);
  if (isChosen || [select.group_sets].flat().length > 1) return undefined;
  const keys = sum ? items.filter((item) => ![...within(item)].some(isAggregate)) : [];
  const isApart = (item: Node) => item.class === 'STAR' || isOf(item, /^(path|line)$/);
  if ((sum ? keys : items).some(isApart)) return undefined;
  const column = (name: string): Node => ({
    ...{ class: 'COLUMN_REF', type: 'COLUMN_REF' },
    column_names: [...columnNames(value).slice(0, -1), name],
  });
  const whole = { class: 'FUNCTION', type: 'FUNCTION', function_name: 'sum' };
  const sql = await sqlOf({
    type: 'SELECT_NODE',
    select_list: [
      ...keys,
      column('measure'),
      column('path'),
      sum ?? { ...whole, children: [column('value')] },
    ],
    from_table: nodeOf(select, 'from_table') ?? null,
    where_clause: nodeOf(select, 'where_clause') ?? null,
    aggregate_handling: 'FORCE_AGGREGATES',
  });
  const groups = new Map<string, { measure: string; isTotal: boolean; paths: Paths }>();
  for (const row of await database.rows(sql)) {
    const [held, path, measure, ...group] = [...row].reverse();
    if (Number(held ?? 0) === 0) continue;
    const key = JSON.stringify([measure, group.map(String)]);
    const isTotal = group.some((value) => value === null);
    const known = groups.get(key) ?? { measure: String(measure), isTotal, paths: new Map() };
    groups.set(key, known);
    known.paths.set(String(path), Number(held));
  }
  const [worst] = [...groups.values()]
    .filter(({ paths }) => isDoubled(paths))
    .sort((a, b) => Number(a.isTotal) - Number(b.isTotal) || b.paths.size - a.paths.size);
  return worst && sayDoubled(sum, worst.measure, worst.paths, keys.length === 0);
}

function isCalled(node: Node, names: ReadonlySet<string>): boolean {
  return node.class === 'FUNCTION' && names.has(textOf(node, 'function_name').toLowerCase());
}

function isAggregate(node: Node): boolean {
  return node.class === 'FUNCTION' && aggregates.test(textOf(node, 'function_name').toLowerCase());
}

/** Whether a SELECT without sums shows one row only. */
function takesOne(select: Node): boolean {
  return nodesOf(select, 'modifiers').some(
    ({ type, limit }) => type === 'LIMIT_MODIFIER' && /"value":1[,}]/.test(JSON.stringify(limit)),
  );
}

/** Parts of a whole differ, and none holds the other; the same again is equal, or all others together. */
function isDoubled(paths: Paths): boolean {
  const held = [...paths];
  const most = Math.max(...paths.values());
  const all = held.reduce((sum, [, value]) => sum + value, 0);
  return held.some(
    ([path, value], index) =>
      (held.length > 2 && value === most && isSame(2 * most, all)) ||
      held.some(
        ([other, same], at) =>
          at !== index && (other.startsWith(`${path}.`) || (at > index && isSame(value, same))),
      ),
  );
}

function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.005;
}

function sayDoubled(
  sum: Node | undefined,
  measure: string,
  paths: Paths,
  isWhole: boolean,
): string {
  const most = Math.max(...paths.values());
  const names = [...paths.keys()].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  const best = names.find((path) => isSame(paths.get(path) ?? 0, most)) ?? '';
  const held = isWhole && sum ? ` (${count(most)})` : '';
  const what = sum ? `${textOf(sum, 'function_name')}(value) takes` : 'LIMIT 1 picks among';
  return `${what} ${measure} under ${paths.size} paths (${names.join(', ')}), which repeat the same money. One path holds it once: add AND path = '${best}'${held}.`;
}
