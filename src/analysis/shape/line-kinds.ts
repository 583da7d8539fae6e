/** What order lines of a kind are, told by what they carry: the document names the field alone (docs/platform.md#order-lines). */
import { isAmountName, isQuantityName } from '../../core/column-name.ts';
import { type JsonObject, toNumber } from '../../core/json.ts';

/** By the word for lines that carry the same, what such lines are. */
const meanings = {
  sold: 'sold',
  back: 'taken back',
  paid: 'paid',
  plain: 'no product',
  below: 'no product, below zero',
} as const;

/** `~article:sold` for each line with a kind, of rows that have products. */
export function lineWords(rows: readonly JsonObject[]): string[] {
  const [first = {}] = rows;
  if (!('kind' in first) || !Object.keys(first).some(isProductId)) return [];
  return rows.flatMap((row) => {
    const word = wordOf(Object.entries(row).filter(([, value]) => value !== null));
    return word && isListable(row.kind) ? `~${row.kind}:${word}` : [];
  });
}

/** Whether a value may be listed: a word, no sentence. */
export function isListable(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,30}$/.test(value);
}

/** `article: sold or taken back`, where words of its lines tell; else the kind. */
export function sayKind(kind: string, words: ReadonlyMap<string, unknown>): string {
  const isSeen = (word: string) => words.has(`~${kind}:${word}`);
  const said = Object.entries(meanings)
    .filter(([word]) => isSeen(word) && !(word === 'below' && isSeen('plain')))
    .map(([, meaning]) => meaning);
  return [kind, ...(said.length > 0 ? [said.join(' or ')] : [])].join(': ');
}

/** Undefined for a product at an amount below zero of which nothing came back, such as a discount on it. */
function wordOf(
  fields: readonly [name: string, value: unknown][],
): keyof typeof meanings | undefined {
  const valuesOf = (is: (name: string) => boolean) =>
    fields.filter(([name]) => is(name)).map(([, value]) => toNumber(value));
  const isBelow = valuesOf(isAmountName).some((amount) => amount < 0);
  if (fields.some(([name]) => isProductId(name))) {
    const quantities = valuesOf(isQuantityName);
    if (quantities.length === 0) return isBelow ? 'back' : 'sold';
    if (quantities.some((quantity) => quantity < 0)) return 'back';
    return isBelow ? undefined : 'sold';
  }
  if (fields.some(([name]) => name === 'provider_method_type_id')) return 'paid';
  return isBelow ? 'below' : 'plain';
}

function isProductId(name: string): boolean {
  return /(^|_)product_id$/.test(name);
}
