/** The text of a statement, in which a few characters are put where its tree says so. */

/** Characters that are put at a place in the text. */
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
const token =
  /[eE]'(?:[^'\\]|\\.)*'|'[^']*'|"[^"]*"|`[^`]+`|\$(\w*)\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\/|./gs;

/** A statement in which names in backticks, as MySQL has them, stand in double quotes: as long as it was. */
export function withDoubleQuotes(sql: string): string {
  const isName = (part: string) => /^`[^`"]+`$/.test(part);
  return sql.replace(token, (part) => (isName(part) ? `"${part.slice(1, -1)}"` : part));
}

/** The end of a statement: before its semicolon, if it has one. */
function endOf(bytes: string): number {
  for (const { 0: part, index } of bytes.matchAll(token)) if (part === ';') return index;
  return bytes.length;
}

/** The end of the call that begins at `from`: after its closing parenthesis. */
export function endOfCall(bytes: string, from: number): number {
  let depth = 0;
  for (const { 0: part, index } of bytes.slice(from).matchAll(token)) {
    if (part === '(') depth++;
    if (part === ')' && --depth === 0) return from + index + 1;
  }
  return bytes.length;
}
