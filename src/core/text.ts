/**
 * Names, titles and remarks are typed by third parties. In texts for a model or a terminal, their control and invisible
 * characters are written as escapes.
 */

// Control and format characters, line separators, lone surrogates, characters that show nothing (fillers, variation
// selectors, tags, blank Braille), and noncharacters, which XML forbids.
const acting =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/gu;

/** Printable ASCII: most texts, which need no slower search. */
const harmless = /^[ -~]*$/;

/** Marks a sentence of the server in an answer; {@link dataLine} keeps data from looking like one. */
export function serverLine(sentence: string): string {
  return `# ${sentence}`;
}

/** Escapes a leading `#`, which marks sentences of the server. */
export function dataLine(line: string): string {
  return /^\s*#/.test(line) ? `\\${line}` : line;
}

/** Writes control and invisible characters as JSON does: `\n`, `\t`, `\u202e`. */
export function neutralise(text: string): string {
  return harmless.test(text) ? text : text.replace(acting, escapeCharacter);
}

/** Compact JSON with its texts neutralised; parsing gives the same value. */
export function neutralJson(value: unknown): string {
  return neutralise(JSON.stringify(value));
}

/** At most `maxLength` UTF-16 units, without half a surrogate pair at the end. */
export function cutText(text: string, maxLength: number): string {
  return text.length > maxLength ? text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '') : text;
}

/** Foreign text for a message: one line, bounded, neutralised. */
export function quote(text: string, maxLength = 80): string {
  const characters = [...cutText(text.trim(), 2 * maxLength + 2)];
  const line = neutralise(characters.slice(0, maxLength).join(''));
  return characters.length > maxLength ? `${line}…` : line;
}

/** Like {@link quote}, in double quotes. */
export function quoted(text: string, maxLength?: number): string {
  return `"${quote(text, maxLength).replaceAll('"', "'")}"`;
}

/** A foreign name: in quotes unless it is a plain word. */
export function wordOrQuoted(name: string): string {
  return /^[\p{L}\p{N}_.]{1,80}$/u.test(name) ? name : quoted(name);
}

/** `1,941`. */
export function sayCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 row`, `1,941 rows`. */
export function countNoun(count: number, noun: string): string {
  return `${sayCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `shops` -> `shop`, `matches` -> `match`. */
export function singular(noun: string): string {
  return noun.replace(/(?<=ch|sh|x)es$|s$/, '');
}

/** `a, b, c and 9 more`. */
export function listFirst(texts: readonly string[], max: number): string {
  const more = texts.length > max ? ` and ${texts.length - max} more` : '';
  return `${texts.slice(0, max).join(', ')}${more}`;
}

/** Like {@link listFirst}, for foreign texts. */
export function quoteFirst(texts: readonly string[], max: number): string {
  return listFirst(
    texts.map((text) => quote(text)),
    max,
  );
}

/** Joins the parts that are given with spaces. */
export function sentences(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' ');
}

/** `period: "yesterday"`. */
export function sayArgument(name: string, value: unknown): string {
  return `${name}: ${JSON.stringify(value)}`;
}

/** `compare_turnover period: "yesterday" shop_id: "7"`. */
export function sayCall(tool: string, args: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(args).map(([name, value]) => sayArgument(name, value));
  return [tool, ...given].join(' ');
}

/** A literal of SQL. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A sentence that names a tool has it in `needs`: callers without that tool do not get the sentence. */
export type Sentence = string | { readonly needs: string; readonly text: string };

export type Sentences = string | readonly Sentence[];

/** The text for a caller: sentences are joined by a space unless one begins with a line break. */
export function sentencesFor(sentences: Sentences, hasTool: (name: string) => boolean): string {
  if (typeof sentences === 'string') return sentences;
  const texts = sentences.flatMap((sentence) => {
    if (typeof sentence === 'string') return [sentence];
    return hasTool(sentence.needs) ? [sentence.text] : [];
  });
  return texts.join(' ').replaceAll(' \n', '\n').trim();
}

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

function escapeCharacter(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16));
  return shortEscapes[character] ?? units.map((unit) => `\\u${unit.padStart(4, '0')}`).join('');
}
