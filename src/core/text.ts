/**
 * Text typed by third parties (names, titles, remarks) is data. In anything a model or a terminal
 * reads, characters that act instead of showing are written out as escapes.
 */

// Control and format characters, separators that break a line, lone surrogates, and whatever shows
// nothing: what Unicode calls default-ignorable (fillers, variation selectors, tags), blank Braille, and what is
// no character, which XML has no place for.
const acting =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/gu;

/** Printable ASCII, which most texts are made of: nothing in it acts, and nothing is to be looked for. */
const harmless = /^[ -~]*$/;

/** A sentence of the server as a line of an answer; {@link dataLine} sees to it that no other line looks like one. */
export function serverLine(sentence: string): string {
  return `# ${sentence}`;
}

/** A line of data, which cannot be taken for a sentence of the server: a `#` at its beginning is escaped. */
export function dataLine(line: string): string {
  return /^\s*#/.test(line) ? `\\${line}` : line;
}

/** The text on one line with control and invisible characters as JSON writes them: `\n`, `\t`, `\u202e`. */
export function neutralise(text: string): string {
  return harmless.test(text) ? text : text.replace(acting, escapeCharacter);
}

/** Compact JSON whose texts are neutralised; still the same JSON value to a parser. */
export function neutralJson(value: unknown): string {
  return neutralise(JSON.stringify(value));
}

/** The beginning of a text, in UTF-16 units; the last character is left out where it would be cut in two. */
export function cutText(text: string, maxLength: number): string {
  return text.length > maxLength ? text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '') : text;
}

/** A short piece of foreign text for an error message: one line, bounded, neutralised. */
export function quote(text: string, maxLength = 80): string {
  const characters = [...cutText(text.trim(), 2 * maxLength + 2)];
  const line = neutralise(characters.slice(0, maxLength).join(''));
  return characters.length > maxLength ? `${line}…` : line;
}

/** The same in double quotes, with none in it that would end them. */
export function quoted(text: string, maxLength?: number): string {
  return `"${quote(text, maxLength).replaceAll('"', "'")}"`;
}

/** A name from outside: as it is where it is a plain word, in quotes otherwise. */
export function wordOrQuoted(name: string): string {
  return /^[\p{L}\p{N}_.]{1,80}$/u.test(name) ? name : quoted(name);
}

/** `1,941`: a number of things as people read it. */
export function sayCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 row`, `1,941 rows`: a count with its noun in the right number. */
export function countNoun(count: number, noun: string): string {
  return `${sayCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `shops` -> `shop`, `matches` -> `match`. */
export function singular(noun: string): string {
  return noun.replace(/(?<=ch|sh|x)es$|s$/, '');
}

/** `a, b, c and 9 more`: of many texts the first. */
export function listFirst(texts: readonly string[], most: number): string {
  const more = texts.length > most ? ` and ${texts.length - most} more` : '';
  return `${texts.slice(0, most).join(', ')}${more}`;
}

/** The same of foreign texts, each quoted. */
export function quoteFirst(texts: readonly string[], max: number): string {
  return listFirst(
    texts.map((text) => quote(text)),
    max,
  );
}

/** Parts of a text, joined where they say something: `First sentence. Second one.` */
export function sentences(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' ');
}

/** An argument of a call with its value: `period: "yesterday"`. */
export function sayArgument(name: string, value: unknown): string {
  return `${name}: ${JSON.stringify(value)}`;
}

/** A call as a sentence shows it: `compare_turnover period: "yesterday" shop_id: "7"`. */
export function sayCall(tool: string, args: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(args).map(([name, value]) => sayArgument(name, value));
  return [tool, ...given].join(' ');
}

/** A text in single quotes, as SQL writes it. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A sentence for a reader. One that sends to a tool names it in `needs`: callers without that tool do not get it. */
export type Sentence = string | { readonly needs: string; readonly text: string };

/** A text: as it is, or as sentences of which some need a tool. */
export type Sentences = string | readonly Sentence[];

/** One text of the sentences that a caller gets: a space between them unless one begins with a line break. */
export function sentencesFor(sentences: Sentences, hasTool: (name: string) => boolean): string {
  if (typeof sentences === 'string') return sentences;
  const sayable = sentences.flatMap((it) => {
    if (typeof it === 'string') return [it];
    return hasTool(it.needs) ? [it.text] : [];
  });
  return sayable.join(' ').replaceAll(' \n', '\n').trim();
}

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

function escapeCharacter(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16));
  return shortEscapes[character] ?? units.map((unit) => `\\u${unit.padStart(4, '0')}`).join('');
}
