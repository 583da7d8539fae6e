/** Columns that a statement names and nothing shows yet: they are assumed where rows are still to come, which tell. */
import { isFields } from '../../core/column-type.ts';
import type { Warning } from '../../core/message.ts';
import { queryMessages } from '../messages.ts';
import type { SentStatement } from '../protocol.ts';
import { type SqlType, sqlColumns } from '../sql-type.ts';
import type { TableText } from '../table-text.ts';
import { passedOn, type Scope, type Source } from './columns.ts';
import {
  columnNames,
  type Node,
  namesIn,
  nodeOf,
  nodesIn,
  nodesOf,
  tableName,
  textOf,
} from './tree.ts';
import { pureTableFunctions } from './vet.ts';

/** A column with its type; without one it is there and the statement cannot see it. */
export type TableColumn = TableText['columns'][number];

/** Columns by table, and there by their names in small letters. */
export type ColumnsByTable = ReadonlyMap<string, ReadonlyMap<string, TableColumn>>;

/** A SELECT with what it can name. */
export interface NamingSelect extends Pick<Scope, 'outer'> {
  select: Node;
  sources: readonly Source[];
  /** Of its view. */
  parameters: readonly string[];
}

/** Whether rows show what a table has. */
export function hasRows(name: string, { loaded }: SentStatement): boolean {
  return (loaded.get(name)?.texts.length ?? 0) > 0;
}

/**
 * What columns and fields the tables must have, whose rows may have more than is known and of which there are none so
 * far, for the names of a statement to mean something.
 * @param isGenerous also where such a name may be what a PIVOT gives
 */
export function assumeColumns(
  selects: readonly NamingSelect[],
  known: ColumnsByTable,
  sent: SentStatement,
  isGenerous: boolean,
): ColumnsByTable {
  const assumed = new Map<string, Map<string, TableColumn>>();
  const isUnsettled = (name: string) => {
    const kind = sent.tables.get(name);
    return kind?.kind === 'calls' && kind.isOpen === true && !hasRows(name, sent);
  };

  const isNamed = (table: string) => sent.tables.has(table) || pureTableFunctions.has(table);

  function assume(table: string, [name = '', ...fields]: readonly string[]): void {
    const columns = assumed.get(table) ?? new Map<string, TableColumn>();
    const column = columns.get(name) ?? known.get(table)?.get(name);
    const isComplete = column !== undefined && (fields.length === 0 || !isUnsettled(table));
    if (isComplete) return;
    assumed.set(table, columns.set(name, [name, withField(name, column?.[1], fields)]));
  }

  /** The first table that has a column of the name, or else may have it. */
  function settle(path: readonly string[], among: readonly Source[]): void {
    const [name = ''] = path;
    const computed = among.flatMap(({ output, table }) =>
      output ? output.columns.map((it) => it.name.toLowerCase()) : pureTableFunctions.get(table),
    );
    if (computed.includes(name) || computed.includes(path.join('.'))) return;
    const tables = passedOn(among);
    const owner = tables.find((table) => known.get(table)?.has(name));
    const isOpaque = among.some(({ output, table }) => !output && !isNamed(table));
    const guessed = isOpaque && !isGenerous ? undefined : tables.find(isUnsettled);
    const table = owner ?? guessed;
    if (table !== undefined) assume(table, path);
  }

  for (const select of selects) for (const { path, among } of namesOf(select)) settle(path, among);
  return assumed;
}

/** The names in a SELECT, step by step, with the tables that may have such a column. */
function* namesOf({ select, sources, outer, parameters }: NamingSelect) {
  const all = [...sources, ...outer];
  const others = namesElsewhere(select);
  for (const node of nodesIn(select, { ownOnly: true })) {
    const path = columnNames(node).flatMap((name) => name.toLowerCase().split('.'));
    const [first = '', ...rest] = path;
    const owner = all.find(({ alias }) => alias === first);
    const isOther = others.get(node)?.has(first) || parameters.includes(first);
    if (owner && rest.length > 0 && !isOther) yield { path: rest, among: [owner] };
    else if (first !== '' && !owner && !isOther && !clockWords.test(first))
      yield { path, among: all };
    for (const name of excludedBy(node)) {
      const relation = textOf(node, 'relation_name').toLowerCase();
      const among = relation ? all.filter(({ alias }) => alias === relation) : sources;
      yield { path: [name], among };
    }
    for (const name of namesIn(node, 'using_columns'))
      for (const side of ['left', 'right'])
        yield { path: [name.toLowerCase()], among: sidesOf(node, side, sources) };
  }
}

/** What names in a SELECT mean besides columns, by their nodes: parameters of a lambda, and columns that it shows. */
function namesElsewhere(select: Node): ReadonlyMap<Node, ReadonlySet<string>> {
  const elsewhere = new Map<Node, Set<string>>();
  const add = (nodes: Iterable<Node>, names: readonly string[]) => {
    for (const node of nodes)
      elsewhere.set(node, new Set([...(elsewhere.get(node) ?? []), ...names]));
  };
  const items = nodesOf(select, 'select_list');
  const named = items.map((item) => textOf(item, 'alias').toLowerCase());
  const { select_list: _, ...clauses } = select;
  add(nodesIn(clauses, { ownOnly: true }), named);
  // A column that is shown has its name in those behind it.
  for (const [at, item] of items.entries())
    add(nodesIn(item, { ownOnly: true }), named.slice(0, at));
  for (const node of nodesIn(select, { ownOnly: true }))
    if (node.class === 'LAMBDA')
      add(
        nodesIn(node),
        [...nodesIn(node.lhs)].flatMap(columnNames).map((it) => it.toLowerCase()),
      );
  return elsewhere;
}

function excludedBy(star: Node): string[] {
  const replaced = nodesOf(star, 'replace_list').map((it) => textOf(it, 'key'));
  return [...namesIn(star, 'exclude_list'), ...replaced].map((name) => name.toLowerCase());
}

/** These read like columns and are none. */
export const clockWords = /^(current_(date|time|timestamp)|localtime(stamp)?)$/i;

function sidesOf(join: Node, side: string, sources: readonly Source[]): Source[] {
  const tables = [...nodesIn(nodeOf(join, side), { ownOnly: true })];
  const names = tables.map((it) => (textOf(it, 'alias') || tableName(it)).toLowerCase());
  return sources.filter(({ alias }) => names.includes(alias));
}

/** A column's type with a field in it, and fields in that. */
function withField(name: string, type: SqlType | undefined, path: readonly string[]): SqlType {
  const [field, ...inner] = path;
  if (field === undefined) return type ?? sqlColumns({ [name]: 'open' })[name] ?? 'NULL';
  const fields = type !== undefined && isFields(type) ? type : {};
  const key = Object.keys(fields).find((it) => it.toLowerCase() === field) ?? field;
  return { ...fields, [key]: withField(field, fields[key], inner) };
}

/** Columns of which the answer knows nothing: no rows came that could have them. */
export function unseenColumns(assumed: ColumnsByTable, known: ColumnsByTable): Warning[] {
  return [...assumed].flatMap(([table, columns]) => {
    const names = [...columns.keys()].filter((name) => !known.get(table)?.has(name));
    return names.length === 0 ? [] : [queryMessages.unseen_columns({ table, columns: names })];
  });
}
