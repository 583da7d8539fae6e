/**
 * The tree of a SELECT as DuckDB writes it (`json_serialize_sql`). Absent keys mean their
 * defaults. It is read, never changed. Also insertions into the text of the statement.
 */
import { isRecord, type JsonObject } from '../../core/json.ts';

/** A node of the tree: a query, a table reference or an expression. */
export type Node = JsonObject;

/** Whether a node is a query: a SELECT, a set operation or a recursive CTE. */
export function isQuery({ type }: Node): boolean {
  return /^(SELECT|SET_OPERATION|RECURSIVE_CTE)_NODE$/.test(String(type));
}

/** A text of a node, empty where it is absent. */
export function textOf(node: Node | undefined, key: string): string {
  const value = node?.[key];
  return typeof value === 'string' ? value : '';
}

/** The nodes of a list, none where it is absent. */
export function nodesOf(node: Node | undefined, key: string): Node[] {
  const value = node?.[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A node within a node. */
export function nodeOf(node: Node | undefined, key: string): Node | undefined {
  const value = node?.[key];
  return isRecord(value) ? value : undefined;
}

/** The names of a column: `['o', 'id']`; none of what is no column. */
export function columnNames({ class: kind, column_names: names }: Node): string[] {
  return kind === 'COLUMN_REF' && Array.isArray(names) ? names.map(String) : [];
}

/** The name of a table, or of the function that makes it. */
export function tableName(table: Node): string {
  return textOf(table, 'table_name') || textOf(nodeOf(table, 'function'), 'function_name');
}

/** The same with the catalogue and the schema that stand before it. */
export function qualifiedName(table: Node): string {
  const qualifiers = [table, nodeOf(table, 'function')].flatMap((node) =>
    ['catalog_name', 'schema_name', 'catalog', 'schema'].map((key) => textOf(node, key)),
  );
  return [...qualifiers, tableName(table)].filter((text) => text !== '').join('.');
}

/** All nodes of a part of the tree in their order; of its own alone, without those in queries and WITH steps. */
export function* within(part: unknown, isOwnAlone = false): Generator<Node> {
  const left = [part];
  while (left.length > 0) {
    const next = left.pop();
    if (isRecord(next)) yield next;
    const isEnd = isOwnAlone && next !== part && isRecord(next) && isQuery(next);
    if (typeof next !== 'object' || next === null || isEnd) continue;
    left.push(...Object.values(isOwnAlone ? { ...next, cte_map: null } : next).reverse());
  }
}

/** What a place in the text needs to mean what was meant. */
export interface Insertion {
  at: number;
  text: string;
}

/** A statement's text as one character a byte, in which the engine's offsets are those of characters. */
export function asBytes(sql: string): string {
  return Buffer.from(sql).toString('latin1');
}

export function fromBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

/** A text with insertions, its end cut off. */
export function edited(sql: string, insertions: readonly Insertion[]): string {
  const bytes = asBytes(sql);
  const parts: string[] = [];
  let from = 0;
  for (const { at, text } of insertions.toSorted((a, b) => a.at - b.at)) {
    parts.push(bytes.slice(from, at), text);
    from = at;
  }
  return fromBytes([...parts, bytes.slice(from, endOf(bytes))].join(''));
}

/** Texts, quoted names, comments, and single characters: nothing within the former ends a statement. */
const token = /[eE]'(?:[^'\\]|\\.)*'|'[^']*'|"[^"]*"|\$(\w*)\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\/|./gs;

/** Where a statement ends: before its semicolon, if it has one. */
function endOf(bytes: string): number {
  for (const { 0: found, index } of bytes.matchAll(token)) if (found === ';') return index;
  return bytes.length;
}

/** Where the call that begins at `from` ends: behind its closing parenthesis. */
export function endOfCall(bytes: string, from: number): number {
  let depth = 0;
  for (const { 0: found, index } of bytes.slice(from).matchAll(token)) {
    if (found === '(') depth++;
    if (found === ')' && --depth === 0) return from + index + 1;
  }
  return bytes.length;
}
