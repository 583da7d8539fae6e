/** Edits of JSON with comments, as people write it: what is not edited stays as it is, to the byte. */
import { createScanner, type Node, parseTree } from 'jsonc-parser';

/** A text in which the object under a key has this property, or has it no longer where there is no value. */
export function setProperty(text: string, key: string, name: string, value: unknown): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) return text;
  const object = propertyOf(root, key)?.children?.[1];
  const property = object && propertyOf(object, name);
  if (value === undefined) return property ? without(text, object, property) : text;
  if (object === undefined) return withFirst(text, root, key, { [name]: value });
  const old = property?.children?.[1];
  if (property === undefined || old === undefined) return withFirst(text, object, name, value);
  const isOneLine = !text.slice(old.offset, endOf(old)).includes('\n');
  const written = isOneLine
    ? JSON.stringify(value)
    : write(text, value, indentAt(text, property.offset));
  return text.slice(0, old.offset) + written + text.slice(endOf(old));
}

function propertyOf({ children = [] }: Node, name: string): Node | undefined {
  return children.find(({ children: [key] = [] }) => key?.value === name);
}

/** With a property in front of all others, so that no comma and no remark of theirs has to move. */
function withFirst(text: string, object: Node, name: string, value: unknown): string {
  const start = object.offset + 1;
  const [first] = object.children ?? [];
  const key = `${JSON.stringify(name)}: `;
  const put = (property: string) => text.slice(0, start) + property + text.slice(start);
  const isOneLine = !text.slice(start, endOf(object)).includes('\n');
  const [space = ''] = /^\s*/.exec(text.slice(start)) ?? [];
  if (first && isOneLine) return put(`${space + key + JSON.stringify(value)},`);
  const [eol, outer] = [endOfLine(text), indentAt(text, object.offset)];
  const indent = first ? indentAt(text, first.offset) : outer + unitOf(text);
  const closing = first || !isOneLine ? '' : eol + outer;
  return put(eol + indent + key + write(text, value, indent) + (first ? ',' : closing));
}

/** Without a property, its line and its comma, or the comma before it where it was the last. */
function without(text: string, { children = [] }: Node, property: Node): string {
  const [space = ''] = /(\r?\n)?[ \t]*$/.exec(text.slice(0, property.offset)) ?? [];
  const comma = commaAfter(text, property);
  const end = comma === undefined ? endOf(property) : comma + 1;
  const rest = text.slice(0, property.offset - space.length) + text.slice(end);
  const previous = children[children.indexOf(property) - 1];
  const before = comma === undefined && previous ? commaAfter(text, previous) : undefined;
  return before === undefined ? rest : rest.slice(0, before) + rest.slice(before + 1);
}

/** Where the comma behind a node is, remarks between them or not. */
function commaAfter(text: string, node: Node): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(endOf(node));
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === ',' ? at : undefined;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** A value on lines of its own. */
function write(text: string, value: unknown, indent: string): string {
  const lines = JSON.stringify(value, null, unitOf(text));
  return lines.replaceAll('\n', endOfLine(text) + indent);
}

/** What the line of a place begins with. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function unitOf(text: string): string {
  return /(?<=\n)[ \t]+/.exec(text)?.[0] ?? '  ';
}

function endOfLine(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
