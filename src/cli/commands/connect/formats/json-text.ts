import { createScanner, type Node } from 'jsonc-parser';
import { lineEndOf } from './format.ts';

/**
 * Changes of a JSON text in one place. The library's own would form the neighbours anew, and lose the
 * remark behind the last of them.
 */

/** The text with another member at the end of an object or list; a remark behind the last one stays there. */
export function appended(
  text: string,
  holder: Node,
  { key, value }: { key?: string; value: unknown },
): string {
  const eol = lineEndOf(text);
  const outer = marginAt(text, holder.offset);
  const last = holder.children?.at(-1);
  const isSpread = last !== undefined && /\n/.test(text.slice(holder.offset, last.offset));
  const margin = isSpread ? marginAt(text, last.offset) : outer + indentOf(text);
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `;
  const entry = `${margin}${name}${rendered(text, value, margin)}`;
  if (last === undefined) {
    const rest = text.slice(holder.offset + 1).replace(/^[ \t]*(?=[\]}])/, `${outer}`);
    const gap = /^[ \t]*\r?\n/.test(rest) ? '' : eol;
    return `${text.slice(0, holder.offset + 1)}${eol}${entry}${gap}${rest}`;
  }
  const end = endOf(last);
  const comma = commaAfter(text, end, endOf(holder));
  const closed = comma === undefined ? end : comma + 1;
  const [remark = ''] =
    /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)(?=\r?\n)/.exec(text.slice(closed)) ?? [];
  const rest = text.slice(closed + remark.length);
  const gap = /^[ \t]*\r?\n/.test(rest) ? '' : `${eol}${outer}`;
  const before = comma === undefined ? `${text.slice(0, end)},` : text.slice(0, closed);
  const trailing = comma === undefined ? '' : ',';
  return `${before}${remark}${eol}${entry}${trailing}${gap}${gap === '' ? rest : rest.trimStart()}`;
}

/** The text with another value in the place of one. */
export function replaced(text: string, node: Node, value: unknown): string {
  const body = rendered(text, value, marginAt(text, node.offset));
  return text.slice(0, node.offset) + body + text.slice(endOf(node));
}

/** The text without a member of an object or list, and without the comma that it no longer needs. */
export function removed(text: string, holder: Node, member: Node): string {
  const members = holder.children ?? [];
  const at = members.indexOf(member);
  const previous = members[at - 1];
  const own = commaAfter(text, endOf(member), endOf(holder));
  const to = own === undefined ? endOf(member) : own + 1;
  const [from, until] = wholeLines(text, member.offset, to);
  const without = text.slice(0, from) + text.slice(until);
  if (members.length === 1 && text.slice(holder.offset + 1, from).trim() === '')
    return text.slice(0, holder.offset + 1) + text.slice(until).trimStart();
  const needless =
    previous && own === undefined ? commaAfter(text, endOf(previous), from) : undefined;
  return needless === undefined
    ? without
    : `${without.slice(0, needless)}${without.slice(needless + 1)}`;
}

/** A stretch grown to the lines that it fills, where nothing else stands on them. */
function wholeLines(text: string, from: number, to: number): [from: number, to: number] {
  const begin = text.lastIndexOf('\n', from - 1) + 1;
  const [blank] = /^[ \t]*\r?\n/.exec(text.slice(to)) ?? [];
  const isAlone = text.slice(begin, from).trim() === '' && blank !== undefined;
  return isAlone ? [begin, to + blank.length] : [from, to];
}

/** Where the comma behind a place is, comments aside; undefined where none comes before the end. */
function commaAfter(text: string, from: number, end: number): number | undefined {
  const scanner = createScanner(text.slice(0, end), true);
  scanner.setPosition(from);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === ',' && at < end ? at : undefined;
}

function rendered(text: string, value: unknown, margin: string): string {
  return JSON.stringify(value, null, indentOf(text)).replaceAll('\n', lineEndOf(text) + margin);
}

/** The white space that the line of a place begins with. */
function marginAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';
}

/** One step of the text's own indentation. */
function indentOf(text: string): string {
  const first = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return first.startsWith('\t') ? '\t' : first;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}
