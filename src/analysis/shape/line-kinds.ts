/** Tells the meaning of kinds of order lines from their fields, since the document leaves it open (docs/platform.md#order-lines). */
import { isAmountName, isQuantityName } from '../../core/column-name.ts';
import { type JsonObject, toNumber } from '../../core/json.ts';

/** Words for lines with the same fields, as the shape remembers them, and their meanings. */
const meanings = {
  sold: 'sold',
  back: 'taken back',
  paid: 'paid',
  plain: 'no product',
  below: 'no product, below zero',
} as const;

/** `~article:sold` for each line with a kind; none where rows have no products. */
export function lineWords(rows: readonly JsonObject[]): string[] {
  const [first = {}] = rows;
  if (!('kind' in first) || !Object.keys(first).some(isProductId)) return [];
  return rows.flatMap((row) => {
    const word = wordOf(Object.entries(row).filter(([, value]) => value !== null));
    return word && isListable(row.kind) ? `~${row.kind}:${word}` : [];
  });
}

/** Whether a value is a short word. */
export function isListable(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,30}$/.test(value);
}

/** `article: sold or taken back`, or the kind alone where its lines do not tell. */
export function sayKind(kind: string, words: ReadonlyMap<string, unknown>): string {
  const isSeen = (word: string) => words.has(`~${kind}:${word}`);
  const texts = Object.entries(meanings)
    .filter(([word]) => isSeen(word) && !(word === 'below' && isSeen('plain')))
    .map(([, meaning]) => meaning);
  return texts.length > 0 ? `${kind}: ${texts.join(' or ')}` : kind;
}

/** Undefined for a product with a negative amount and a positive quantity, such as a discount on it. */
function wordOf(
  fields: readonly [name: string, value: unknown][],
): keyof typeof meanings | undefined {
  const valuesOf = (matches: (name: string) => boolean) =>
    fields.filter(([name]) => matches(name)).map(([, value]) => toNumber(value));
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
