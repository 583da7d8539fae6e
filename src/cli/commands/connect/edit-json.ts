/** Edits of JSON with comments, as people write it: what is not edited stays as it is, to the byte. */
import { createScanner, type Node, parseTree } from 'jsonc-parser';

interface Edit {
  at: number;
  length: number;
  text: string;
}

/** A text in which the object under a key has this property, or has it no longer where there is no value. */
export function setProperty(text: string, key: string, name: string, value: unknown): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const object = root && propertyOf(root, key)?.children?.[1];
  if (root === undefined || (object === undefined && value === undefined)) return text;
  if (object === undefined) return edited(text, additions(text, root, key, { [name]: value }));
  const there = propertyOf(object, name);
  if (value === undefined) return there ? edited(text, removals(text, object, there)) : text;
  const old = there?.children?.[1];
  if (there === undefined || old === undefined)
    return edited(text, additions(text, object, name, value));
  const isOneLine = !text.slice(old.offset, endOf(old)).includes('\n');
  const lines = () => write(text, value, indentAt(text, there.offset));
  const written = isOneLine ? JSON.stringify(value) : lines();
  return edited(text, [{ at: old.offset, length: old.length, text: written }]);
}

function propertyOf({ children = [] }: Node, name: string): Node | undefined {
  return children.find(({ children: [key] = [] }) => key?.value === name);
}

/** The edits in their places, the last one first: those before it stay where they are. */
function edited(text: string, edits: readonly Edit[]): string {
  return edits
    .toReversed()
    .toSorted((a, b) => b.at - a.at)
    .reduce(
      (all, { at, length, text: put }) => all.slice(0, at) + put + all.slice(at + length),
      text,
    );
}

/** The last property of an object: on a line of its own, below the remarks that are there already. */
function additions(text: string, object: Node, name: string, value: unknown): Edit[] {
  const end = endOf(object) - 1;
  const last = object.children?.at(-1);
  const comma = last && commaAfter(text, last);
  // Where the last line ends with a comma, the new one does too.
  const [before, after] =
    last === undefined ? ['', ''] : comma === undefined ? [',', ''] : ['', ','];
  const commaEdit = { at: last ? endOf(last) : end, length: 0, text: before };
  if (last && !text.slice(object.offset, end).includes('\n')) {
    const at = comma === undefined ? endOf(last) : comma + 1;
    const written = `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    return [{ at, length: 0, text: `${before} ${written}${after}` }];
  }
  const outer = indentAt(text, object.offset);
  const indent = last ? indentAt(text, last.offset) : outer + unitOf(text);
  const at = text.slice(0, end).trimEnd().length;
  const rest = text.slice(at, end);
  const property = `${endOfLine(text)}${indent}${JSON.stringify(name)}: ${write(text, value, indent)}${after}`;
  const closing = rest.includes('\n') ? rest : endOfLine(text) + outer;
  return [commaEdit, { at, length: rest.length, text: property + closing }];
}

/** A property with its line and its comma, or the one before it where it was the last. */
function removals(text: string, { children = [] }: Node, there: Node): Edit[] {
  const previous = children[children.indexOf(there) - 1];
  const comma = commaAfter(text, there);
  const commaBefore = comma === undefined && previous ? commaAfter(text, previous) : undefined;
  const space = /(\r?\n)?[ \t]*$/.exec(text.slice(0, there.offset))?.[0].length ?? 0;
  const at = there.offset - space;
  const stop = comma === undefined ? endOf(there) : comma + 1;
  const edit = { at, length: stop - at, text: '' };
  return commaBefore === undefined ? [edit] : [edit, { at: commaBefore, length: 1, text: '' }];
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
