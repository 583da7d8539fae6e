/** Edits of JSON with comments, as people write it: what is not edited stays as it is, to the byte. */
import { createScanner, type Node, parseTree } from 'jsonc-parser';

/** A text in which the object under a key has this property, or has it no longer where there is no value. */
export function setProperty(text: string, key: string, name: string, value: unknown): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) return text;
  const object = propertyOf(root, key)?.children?.[1];
  const property = object && propertyOf(object, name);
  if (value === undefined) return property ? without(text, object, property) : text;
  if (object === undefined) return withLast(text, root, key, { [name]: value });
  const old = property?.children?.[1];
  if (property === undefined || old === undefined) return withLast(text, object, name, value);
  const isOneLine = !text.slice(old.offset, endOf(old)).includes('\n');
  const written = isOneLine
    ? JSON.stringify(value)
    : write(text, value, indentAt(text, property.offset));
  return text.slice(0, old.offset) + written + text.slice(endOf(old));
}

function propertyOf({ children = [] }: Node, name: string): Node | undefined {
  return children.find(({ children: [key] = [] }) => key?.value === name);
}

/** With a property behind all others: on a line of its own, below the remarks that are there already. */
function withLast(text: string, object: Node, name: string, value: unknown): string {
  const end = endOf(object) - 1;
  const last = object.children?.at(-1);
  const comma = last && commaAfter(text, last);
  // Where the last line ends with a comma, the new one does too.
  const [before, after] = !last ? ['', ''] : comma === undefined ? [',', ''] : ['', ','];
  const isOneLine = last && !text.slice(object.offset, end).includes('\n');
  const at = isOneLine ? (comma ?? endOf(last) - 1) + 1 : text.slice(0, end).trimEnd().length;
  const behindLast = last ? endOf(last) : at;
  const [eol, outer] = [endOfLine(text), indentAt(text, object.offset)];
  const indent = last ? indentAt(text, last.offset) : outer + unitOf(text);
  const [space, written] = isOneLine
    ? [' ', JSON.stringify(value)]
    : [eol + indent, write(text, value, indent)];
  const closing = isOneLine || text.slice(at, end).includes('\n') ? '' : eol + outer;
  const rest = closing ? end : at;
  const property = `${space}${JSON.stringify(name)}: ${written}${after}${closing}`;
  return (
    text.slice(0, behindLast) + before + text.slice(behindLast, at) + property + text.slice(rest)
  );
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

function write(text: string, value: unknown, indent: string): string {
  const lines = JSON.stringify(value, null, unitOf(text));
  return lines.replaceAll('\n', endOfLine(text) + indent);
}

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
