/** The text of a statement: where it ends, and the few characters that are put in. */

/** What a place in the text needs to mean what was meant. Offsets count bytes of UTF-8. */
export interface Insertion {
  at: number;
  text: string;
}

/** The text as one character a byte, in which the engine's offsets are those of characters. */
export function asBytes(sql: string): string {
  return Buffer.from(sql).toString('latin1');
}

/** A text with insertions, its end cut off. */
export function edited(sql: string, insertions: readonly Insertion[]): string {
  const bytes = asBytes(sql);
  const end = endOf(bytes);
  const parts: string[] = [];
  let from = 0;
  for (const { at, text } of insertions.toSorted((a, b) => a.at - b.at)) {
    parts.push(bytes.slice(from, at), text);
    from = at;
  }
  parts.push(bytes.slice(from, end));
  return Buffer.from(parts.join(''), 'latin1').toString();
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
