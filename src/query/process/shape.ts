/** What a statement's tree names, whatever stands in its texts and comments. */
import { isRecord } from '../../core/json.ts';
import type { StatementShape } from '../provider.ts';
import { constantText } from './columns.ts';
import { columnNames, type Node, namesIn, nodesIn, tableName, textOf } from './tree.ts';

/** What queries name, in small letters. */
export function shapeOf(
  queries: readonly Node[],
): Omit<StatementShape, 'tables' | 'shown' | 'totalled'> {
  const mentioned = new Set<string>();
  const aliases = new Set<string>();
  const alone = new Set<string>();
  const groupedBy = new Set<string>();
  const comparedWith = new Map<string, string[]>();
  const otherwise = new Set<string>();
  let meansAll = false;
  for (const node of nodesIn(queries)) {
    const isOfAll = /^(STAR|POSITIONAL_REFERENCE|PIVOT|SHOW_REF)$/.test(textOf(node, 'type'));
    const isRenamed = Array.isArray(node.column_name_alias) && node.column_name_alias.length > 0;
    meansAll ||= isOfAll || isRenamed || node.ref_type === 'NATURAL';
    const using = namesIn(node, 'using_columns').map((name) => name.toLowerCase());
    for (const path of [...pathsOf(node), ...using]) mentioned.add(path);
    alone.add(columnNames(node).join('.').toLowerCase());
    const isSource = textOf(node, 'class') === '';
    if (isSource) aliases.add((textOf(node, 'alias') || tableName(node)).toLowerCase());
    // GROUP BY ALL groups by what is shown.
    const isByAll = node.aggregate_handling === 'FORCE_AGGREGATES';
    const keys = isByAll ? node.select_list : node.group_expressions;
    for (const name of columnsIn([...nodesIn(keys, { ownOnly: true })])) groupedBy.add(name);
    const compared = comparedIn(node);
    const texts = compared.flatMap((it) => constantText(it) ?? []);
    const isEqual = /^COMPARE_(EQUAL|IN)$/.test(textOf(node, 'type'));
    for (const name of columnsIn(compared)) {
      comparedWith.set(name, [...(comparedWith.get(name) ?? []), ...texts]);
      if (!isEqual || texts.length === 0) otherwise.add(name);
    }
  }
  // The name of a table in place of a column is its whole row.
  meansAll ||= [...alone].some((name) => name !== '' && aliases.has(name));
  const equalTo = new Map([...comparedWith].filter(([name]) => !otherwise.has(name)));
  return { mentioned, equalTo, meansAll, groupedBy, comparedWith };
}

/** What a comparison or a function, such as LIKE, takes, and what is within its casts and functions. */
function comparedIn(node: Node): Node[] {
  const isCompared = node.class === 'FUNCTION' || textOf(node, 'type').startsWith('COMPARE_');
  if (!isCompared) return [];
  const partsOf = (whole: Node) => Object.values(whole).flat().filter(isRecord);
  return partsOf(node).flatMap((part) => [part, ...partsOf(part)]);
}

function columnsIn(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) => columnNames(node).at(-1)?.toLowerCase() ?? []);
}

/** `o.address.city` as all that it may mean: `o`, `address`, `city` and the paths to a field. */
function pathsOf(node: Node): string[] {
  const steps = columnNames(node).flatMap((name) => name.toLowerCase().split('.'));
  return steps.flatMap((_, from) =>
    steps.slice(from).map((__, more) => steps.slice(from, from + more + 1).join('.')),
  );
}
