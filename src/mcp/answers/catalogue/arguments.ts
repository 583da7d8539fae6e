/** What is said of arguments: days, ids and names among them, and what those that were left out meant. */
import { listNames } from '../../../analysis/reference/reference.ts';
import type { Instead } from '../../../analysis/reference/resolve.ts';
import { periodWords, sayDays } from '../../../core/periods.ts';
import { countNoun, quote, quoted, sayArgument, sayCount, sentences } from '../../../core/text.ts';
import type { Texts } from './reader.ts';

export const argumentTexts = {
  one_of: ({ tool, names, count }) =>
    `${tool} takes exactly one of ${names.join(' and ')}; ${count === 0 ? 'neither' : 'both'} came.`,
  start_of_sorted:
    'start does not go with sort, top or limit: 0, which look at the whole list. Leave start out: all rows are kept in that order, under the result id of the answer.',
  not_a_moment: ({ text, now }) =>
    `since: ${quoted(text)} is not a moment. Give YYYY-MM-DD, an ISO 8601 time such as "${now}" (without an offset it is Amsterdam time), or one of ${periodWords.join(', ')}.`,
  moment_in_future: ({ text, now }) =>
    `since: ${quoted(text)} lies in the future; it is now ${now} in Amsterdam.`,
  too_many_prices: ({ most }) =>
    `prices are read for at most ${most} products at once. Give limit or top, or join list_product_prices in query.`,

  // What the platform chose where an argument was left out.
  internal_orders_seen: ({ internal, orders }) =>
    internal === 0
      ? 'left out: none of these is internal'
      : `left out: of these ${countNoun(orders, 'order')}, internal: ${internal}`,
  internal_orders_known: ({ internal }) =>
    `left out: ${sayInternal[internal]}${otherOrders[internal]}`,
  order_count: ({ internal, turnover }) =>
    `order_count: ${sayInternal[internal]}${turnover === undefined ? '' : `; turnover ${turnover === 'left_out' ? 'leaves them out' : 'holds them'}, too`}`,
  stock_of_all_locations: 'left out: stock is the sum over all locations',
  no_negative_discounts: 'left out: orders whose discount is below zero are not among these',
  no_sale_price: ({ count }) =>
    `left out: ${countNoun(count, 'product')} of these have no sale price`,

  // A customer by name, an order by its number.
  which_customer: ({ name, count, customers }, { hasTool }) => {
    const listed = customers.map((it) => {
      return `${quote(it.name)} (${it.id}${it.city === '' ? '' : `, ${quote(it.city)}`})`;
    });
    const more = count > listed.length ? ` and ${sayCount(count - listed.length)} more` : '';
    return sentences(
      count === 0
        ? `customer_id: no customer is called ${quoted(name)}.`
        : `customer_id: ${quoted(name)} may be ${countNoun(count, 'customer')}: ${listed.join(', ')}${more}. Give one of these ids as customer_id.`,
      hasTool('search_customers') && 'search_customers finds them by a part of any contact field.',
    );
  },
  found_in_orders: ({ days }) => `looked for among the orders of ${sayDays(days)}`,
  no_such_order: ({ number, days, looked, total }) => {
    const none =
      total > looked
        ? `none of the newest ${sayCount(looked)} of ${countNoun(total, 'order')}`
        : 'no order';
    return `${none} of ${sayDays(days)} has the number "${quote(number)}". Give the period in which it was placed, or its id as order_id.`;
  },

  // Ids and names that mean nothing, or several things
  id_too_small: ({ idField, text }) =>
    `${idField} is an id of 1 or more, or a name, not ${quoted(text)}.`,
  name_not_looked_up: ({ idField, noun, why }, reader) =>
    `the name of the ${noun} could not be looked up (${reader.say(why)}) Give its id as ${idField} instead.`,
  ambiguous_name: ({ idField, noun, text, count, entries }) =>
    entries
      ? `${quoted(text)} names ${count} ${noun}s: ${listNames(entries, count)}. Give one of these ids as ${idField}.`
      : `${quoted(text)} names ${count} ${noun}s. Give the id as ${idField}.`,
  unknown_name: ({ idField, noun, text, instead }) =>
    sentences(
      `no ${noun} that this key may see is called ${quoted(text)}.`,
      instead ? sayInstead(instead) : `Give the id as ${idField}.`,
    ),
  unknown_id: (unknown) =>
    'tool' in unknown
      ? `${unknown.tool}: the platform does not know ${unknown.unknown} of the ${unknown.values} values asked for; they have no rows.`
      : sentences(
          `No ${unknown.noun} that this key may see has id ${unknown.id}.`,
          sayInstead(unknown.instead),
        ),
  no_names: ({ idField, noun, reason }, { say }) =>
    `${idField} has no names: the ${noun}s could not be read (${say(reason)}).`,
  not_searched: ({ noun, reason }, { say }) => `The ${noun}s could not be searched: ${say(reason)}`,
  not_known_yet: 'not known yet',
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

/** By what was found of them, without a number, which would be that of other days. */
const sayInternal = {
  left_out: 'internal orders are left out',
  included: 'internal orders are among these',
  none: 'no internal orders in the last 30 days, so that is_internal made no difference there',
};

const otherOrders = {
  left_out: ' (is_internal: true asks for them)',
  included: ' (is_internal: false leaves them out)',
  none: '',
};

function sayInstead(instead: Instead): string {
  const { noun, idField, entries, count, isBound, twin, comparison } = instead;
  const all = isBound
    ? `This key covers ${listNames(entries)} only.`
    : `The ${noun}s are: ${listNames(entries, count) || 'none'}.`;
  if (twin === undefined) return all;
  const named = Object.entries(comparison ?? {}).map(([name, value]) => sayArgument(name, value));
  const related = twin.related.length > 0 ? `: its ${idField} is ${listNames(twin.related)}` : '';
  return sentences(
    `${twin.id} is the ${twin.kind} ${quote(twin.name)}, not a ${noun}${related}.`,
    comparison && `Turnover of a shop: compare_turnover ${named.join(' ')}.`,
    all,
  );
}
