/** What lists and objects of an answer hold: 32 MB of text may be millions of values, which the server would read. */
import { QueryError } from '../errors.ts';

/** Most cells of an answer, beyond which it is cut, and most values in its lists and objects, beyond which it is refused. */
export const maxValues = 1_000_000;

/** How deep lists and objects may lie in each other. */
const maxDepth = 50;

/** Most different names in objects: JavaScript keeps a description of each form that an object has. */
const maxNames = 1000;

/** Counts the values in lists and objects of an answer. */
export class NestedValues {
  #count = 0;
  readonly #names = new Set<string>();

  /**
   * Counts those of a cell, itself included where it is a list or an object.
   * @param json compact
   * @throws {QueryError} when those of all cells are over a bound
   */
  add(json: string): number {
    if (!/^[[{]/.test(json)) return 0;
    let [count, depth] = [1, 0];
    for (let at = 0; at < json.length; at++) {
      const character = json[at];
      if (character === '"') {
        const end = endOfText(json, at);
        if (json[end + 1] === ':') this.#names.add(json.slice(at, end));
        at = end;
      } else if (character === ']' || character === '}') depth--;
      else if (character === '[' || character === '{') {
        depth++;
        count++;
      } else if (character === ',') count++;
      if (depth > maxDepth) throw tooMuch(`lie more than ${maxDepth} deep in each other`);
    }
    this.#count += count;
    if (this.#count > maxValues) throw tooMuch(`hold more than ${written(maxValues)} values`);
    if (this.#names.size > maxNames)
      throw tooMuch(`have more than ${written(maxNames)} different names`);
    return count;
  }
}

/** Where the text ends that begins at a quote. */
function endOfText(json: string, from: number): number {
  for (let at = json.indexOf('"', from + 1); ; at = json.indexOf('"', at + 1)) {
    let first = at;
    while (json[first - 1] === '\\') first--;
    if ((at - first) % 2 === 0) return at;
  }
}

function tooMuch(what: string): QueryError {
  return new QueryError(
    'output_too_large',
    `Lists and objects of the answer ${what}, which is the most there may be. Select the parts that you need by name, aggregate them, or unnest a list (of a map: map_entries) into rows, with a LIMIT.`,
  );
}

function written(count: number): string {
  return count.toLocaleString('en-US');
}
