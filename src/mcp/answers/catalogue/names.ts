/** What is said of ids and names that mean nothing, or several things. */
import { listNames } from '../../../analysis/reference/reference.ts';
import type { Instead } from '../../../analysis/reference/resolve.ts';
import type { JsonObject } from '../../../core/json.ts';
import { quote, quoted } from '../../../core/text.ts';
import { type Reader, sentences, type Texts } from './reader.ts';

export const nameTexts = {
  no_such_name: ({ kind, name, nearest, known }) =>
    `There is no ${kind} "${quote(name, 60)}".${nearest ? ` Did you mean ${nearest}?` : ` The ${kind}s are: ${known.join(', ')}.`}`,
  id_too_small: ({ idField, text }) =>
    `${idField} is an id of 1 or more, or a name, not ${quoted(text)}.`,
  name_not_looked_up: ({ idField, noun, why }, reader) =>
    `the name of the ${noun} could not be looked up (${reader.say(why)}) Give its id as ${idField} instead.`,
  ambiguous_name: ({ idField, noun, text, count, entries }) =>
    entries
      ? `${quoted(text)} names ${count} ${noun}s: ${listNames(entries, count)}. Give one of these ids as ${idField}.`
      : `${quoted(text)} names ${count} ${noun}s. Give the id as ${idField}.`,
  unknown_name: ({ idField, noun, text, instead }, reader) =>
    sentences(
      `no ${noun} that this key may see is called ${quoted(text)}.`,
      instead ? sayInstead(instead, reader) : `Give the id as ${idField}.`,
    ),
  unknown_id: (unknown, reader) =>
    'tool' in unknown
      ? `${unknown.tool}: the platform does not know ${unknown.unknown} of the ${unknown.values} values asked for; they have no rows.`
      : sentences(
          `No ${unknown.noun} that this key may see has id ${unknown.id}.`,
          sayInstead(unknown.instead, reader),
        ),
  no_names: ({ idField, noun, reason }, { say }) =>
    `${idField} has no names: the ${noun}s could not be read (${say(reason)}).`,
  not_searched: ({ noun, reason }, { say }) => `The ${noun}s could not be searched: ${say(reason)}`,
  not_known_yet: () => 'not known yet',
  other_called_so: ({ kind, id, name }) => `while the ${kind} ${name} is ${id}`,
  tool_not_open: ({ tool, toolset }) =>
    `${tool} belongs to the toolset ${toolset}, which is not open here.`,
  list_not_open: ({ noun, toolset }) =>
    `The ${noun}s belong to the toolset ${toolset}, which is not open here.`,

  // The ids of products.
  product_ids: (ids) => {
    if ('meant' in ids) {
      const { id, shopProductId, title } = ids.meant;
      return `${shopProductId} is the shop_product_id of "${title}", whose inner id is ${id}. product_ids takes inner ids: if that product is meant, ask for ${id}.`;
    }
    const { product, other } = ids;
    const { id, shopProductId, title } = product;
    return other === undefined
      ? `This product has two ids: shop_product_id ${shopProductId} (for get_product) and inner id ${id} (for list_product_prices).`
      : `${shopProductId} is also the inner id of another product, "${other.title}" (shop_product_id ${other.shopProductId}). This answer is "${title}". If the number came from an inner id, ask get_product for shop_product_id ${other.shopProductId}.`;
  },
  other_product: ({ requested, product: { id, shopProductId, title } }) =>
    `get_product asked for shop_product_id ${requested} and the platform answered with another product: "${title}" (shop_product_id ${shopProductId}, inner id ${id}). It is not passed on. Find the product with search_products and use its shop_product_id.`,
} satisfies Partial<Texts>;

function sayInstead(instead: Instead, reader: Reader): string {
  const { noun, idField, entries, count, isBound, twin, comparison } = instead;
  const all = isBound
    ? `This key covers ${listNames(entries)} only.`
    : `The ${noun}s are: ${listNames(entries, count) || 'none'}.`;
  if (twin === undefined) return all;
  const related = twin.related.length > 0 ? `: its ${idField} is ${listNames(twin.related)}` : '';
  return sentences(
    `${twin.id} is the ${twin.kind} ${quote(twin.name)}, not a ${noun}${related}.`,
    comparison && `Turnover of a shop: compare_turnover ${sayArguments(comparison, reader)}.`,
    all,
  );
}

function sayArguments(args: JsonObject, { argument }: Reader): string {
  return Object.entries(args)
    .map(([name, value]) => argument(name, value))
    .join(' ');
}
