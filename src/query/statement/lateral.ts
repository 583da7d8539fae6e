/**
 * `FROM list_orders(...) o, list_order_items(order_id := o.id) i` says the same as a subquery over
 * what stands before it, and a join: `list_order_items(order_id := (SELECT DISTINCT o.id FROM
 * list_orders(...) o)) i ON i.order_id = o.id`. The tree is rewritten so, before any table is read.
 */
import { quote } from '../../core/text.ts';
import { named, QueryError } from '../errors.ts';
import { type CountCopy, countCopies } from './size.ts';
import { type Names, readTable } from './table-reference.ts';
import { aliasesIn, columnsIn } from './tree/columns.ts';
import {
  allOf,
  become,
  columnRef,
  copyOf,
  equal,
  type Node,
  nodeOf,
  nodesOf,
  selectNode,
  star,
  subqueryTable,
  textOf,
} from './tree/tree.ts';
import { ctesOf } from './tree/walk.ts';
import { joinsByName } from './unseen-sides.ts';
import { lateralMark, queriesBelow } from './value-query.ts';

/** The tables that can be addressed at a place, and the condition that their rows have to meet. */
interface Frame {
  tables: readonly Node[];
  select: Node;
}

/** Most arguments of one statement that are columns: each doubles the tree when they build on each other. */
const mostColumnArguments = 8;

interface Rewriting {
  names: Names;
  /** Arguments that were columns so far. */
  found: number;
  countCopy: CountCopy;
}

/** Puts the condition of a join where the table stands. */
type Attach = (condition: Node) => void;

/** Rewrites every such argument in the query. @throws {QueryError} when one cannot be read so */
export function rewriteLaterals(query: Node, names: Names): void {
  rewriteQuery(query, [], { names, found: 0, countCopy: countCopies() });
}

function rewriteQuery(query: Node, frames: readonly Frame[], run: Rewriting): void {
  for (const cte of ctesOf(query)) rewriteBelow(cte, frames, run);
  const from = query.type === 'SELECT_NODE' ? nodeOf(query, 'from_table') : undefined;
  if (from !== undefined) {
    const attach: Attach = (condition) => {
      query.where_clause = allOf([nodeOf(query, 'where_clause'), condition]);
    };
    rewriteTable(from, { tables: [], select: query }, attach, frames, run);
  }
  const inner = from === undefined ? frames : [...frames, { tables: [from], select: query }];
  for (const [key, value] of Object.entries(query)) {
    if (key !== 'cte_map' && key !== 'from_table') rewriteBelow(value, inner, run);
  }
}

/** Rewrites the queries within an expression, a CTE or a side of a set operation. */
function rewriteBelow(value: unknown, frames: readonly Frame[], run: Rewriting): void {
  for (const query of queriesBelow(value)) rewriteQuery(query, frames, run);
}

function rewriteTable(
  table: Node,
  before: Frame,
  attach: Attach,
  frames: readonly Frame[],
  run: Rewriting,
): void {
  const [left, right] = [nodeOf(table, 'left'), nodeOf(table, 'right')];
  if (table.type === 'JOIN' && left !== undefined && right !== undefined) {
    rewriteTable(left, before, attach, frames, run);
    const joined = { ...before, tables: [...before.tables, left] };
    rewriteTable(right, joined, (condition) => joinOn(table, condition, attach), frames, run);
    const both = { ...joined, tables: [...joined.tables, right] };
    rewriteBelow(table.condition, [...frames, both], run);
    return;
  }
  const source = table.type === 'PIVOT' ? nodeOf(table, 'source') : undefined;
  if (source !== undefined) rewriteTable(source, before, attach, frames, run);
  else if (table.type !== 'TABLE_FUNCTION') rewriteBelow(table, [...frames, before], run);
  else rewriteFunction(table, [...frames, before], attach, run);
}

function rewriteFunction(
  table: Node,
  frames: readonly Frame[],
  attach: Attach,
  run: Rewriting,
): void {
  const reference = readTable(table, [], run.names);
  for (const arg of reference?.args ?? []) {
    const columns = columnsIn(arg.value);
    if (columns.length === 0) continue;
    const source = sourceOf(columns, frames, run.countCopy);
    if (source === undefined) throw notAColumn(reference?.name ?? '', arg.name, columns);
    run.found++;
    if (run.found > mostColumnArguments) throw tooManyColumns();
    const expression = { ...copyOf(arg.value), alias: '' };
    const [alias = ''] = aliasesIn(table);
    attach(equal(columnRef(alias, arg.name), expression));
    become(arg.value, {
      class: 'SUBQUERY',
      type: 'SUBQUERY',
      alias: arg.name,
      subquery_type: 'SCALAR',
      subquery: { node: selectNode([copyOf(expression)], source.from, source.where) },
      comparison_type: 'INVALID',
      [lateralMark]: true,
    });
  }
  rewriteBelow(nodeOf(table, 'function'), frames, run);
}

/** What the columns come from: the nearest tables with their names, else what stands just before. */
function sourceOf(
  columns: readonly string[][],
  frames: readonly Frame[],
  countCopy: CountCopy,
): { from: Node; where: Node | undefined } | undefined {
  const wanted = columns.filter((parts) => parts.length > 1).map(([first]) => first?.toLowerCase());
  for (const { tables, select } of frames.toReversed()) {
    const named = tables.filter((table) =>
      aliasesIn(table).some((alias) => wanted.includes(alias)),
    );
    if (named.length > 0) return source(named, select, countCopy);
  }
  const nearest = frames.findLast(({ tables }) => tables.length > 0);
  return nearest && source(nearest.tables.slice(-1), nearest.select, countCopy);
}

function source(
  tables: readonly Node[],
  select: Node,
  countCopy: CountCopy,
): { from: Node; where: Node | undefined } {
  tables.forEach(countCopy);
  const [first, ...more] = tables.map(copyOf);
  const from = more.reduce<Node>(
    (left, right) => ({ type: 'JOIN', left, right, join_type: 'INNER', ref_type: 'CROSS' }),
    first ?? { type: 'EMPTY' },
  );
  const aliases = new Set(tables.flatMap(aliasesIn));
  const where = nodeOf(select, 'where_clause');
  const conditions = where === undefined ? [] : conjuncts(where);
  const own = conditions.filter((condition) => speaksOnlyOf(condition, aliases));
  return { from, where: allOf(own.map(copyOf)) };
}

function conjuncts(condition: Node): Node[] {
  if (condition.type !== 'CONJUNCTION_AND') return [condition];
  return nodesOf(condition, 'children').flatMap(conjuncts);
}

/** A condition on these tables alone leaves out values that no row of the answer can have. */
function speaksOnlyOf(condition: Node, aliases: ReadonlySet<string>): boolean {
  if (queriesBelow(condition).length > 0) return false;
  const columns = columnsIn(condition);
  const isOwn = ([first = '', ...more]: string[]) =>
    more.length > 0 && aliases.has(first.toLowerCase());
  return columns.length > 0 && columns.every(isOwn);
}

function joinOn(join: Node, condition: Node, attach: Attach): void {
  if (!joinsByName(join)) {
    if (join.ref_type === 'CROSS') join.ref_type = 'REGULAR';
    join.condition = allOf([nodeOf(join, 'condition'), condition]);
    return;
  }
  // Beside USING and NATURAL there is no room for a condition: it stands where it means the same.
  const [left = {}, right = {}] = [nodeOf(join, 'left'), nodeOf(join, 'right')];
  const [outer, inner] = [aliasesIn(left), aliasesIn(right)];
  const [alias = ''] = inner;
  const kind = textOf(join, 'join_type');
  if (kind === 'INNER') attach(condition);
  else if (kind === 'LEFT' && inner.length === 1) {
    join.right = subqueryTable(selectNode([star], right, condition), alias);
  } else if (['SEMI', 'ANTI'].includes(kind) && outer.length === 1 && join.ref_type !== 'NATURAL') {
    const shared = [join.using_columns].flat().map(String);
    const on = shared.map((name) => equal(columnRef(outer[0] ?? '', name), columnRef(alias, name)));
    join.using_columns = [];
    join.condition = allOf([...on, condition]);
  } else {
    throw new QueryError(
      'bad_statement',
      `A ${kind === 'OUTER' ? 'FULL' : kind} JOIN with USING or NATURAL does not go with an argument that is a column of another table. Join with ON.`,
    );
  }
}

function tooManyColumns(): QueryError {
  return new QueryError(
    'too_long',
    `More than ${mostColumnArguments} arguments of tables are columns of other tables; each of them is read first. Read fewer tables so, or join them with ON.`,
  );
}

function notAColumn(table: string, arg: string, columns: readonly string[][]): QueryError {
  const written = columns[0]?.join('.') ?? '';
  return new QueryError(
    'bad_argument',
    `${table}: ${named(written)} is neither a value nor a column of a table before it in FROM. Text stands in single quotes: ${arg} := '${quote(written)}'.`,
  );
}
