/** A text to insert. */
export interface Insertion {
  /** In bytes. */
  at: number;
  text: string;
}

/** One character for each byte, since the engine's offsets count bytes. */
export function asBytes(sql: string): string {
  return Buffer.from(sql).toString('latin1');
}

export function fromBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

/** Inserts texts, and cuts the statement off at its semicolon. */
export function insertTexts(sql: string, insertions: readonly Insertion[]): string {
  const bytes = asBytes(sql);
  const parts: string[] = [];
  let from = 0;
  for (const { at, text } of insertions.toSorted((a, b) => a.at - b.at)) {
    parts.push(bytes.slice(from, at), text);
    from = at;
  }
  return fromBytes([...parts, bytes.slice(from, endOf(bytes))].join(''));
}

/** Texts, quoted names and comments as a whole, since a semicolon in them ends no statement; else one character. */
const token =
  /[eE]'(?:[^'\\]|\\.)*'|'[^']*'|"[^"]*"|`[^`]+`|\$(\w*)\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\/|./gs;

/** Puts names in MySQL's backticks into double quotes. The length stays the same. */
export function replaceBackticks(sql: string): string {
  const isName = (part: string) => /^`[^`"]+`$/.test(part);
  return sql.replace(token, (part) => (isName(part) ? `"${part.slice(1, -1)}"` : part));
}

/** The place of the statement's semicolon, or its length. */
function endOf(bytes: string): number {
  for (const { 0: part, index } of bytes.matchAll(token)) if (part === ';') return index;
  return bytes.length;
}

/** The place after the closing parenthesis of the call that begins at `from`. */
export function endOfCall(bytes: string, from: number): number {
  let depth = 0;
  for (const { 0: part, index } of bytes.slice(from).matchAll(token)) {
    if (part === '(') depth++;
    if (part === ')' && --depth === 0) return from + index + 1;
  }
  return bytes.length;
}
