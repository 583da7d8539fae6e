import { PlatformError } from '../../core/errors.ts';
import { isRecord, numberIn } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import { createLatelySeen } from './lately-seen.ts';

/** A product by both of its ids. */
export interface ProductIdPair {
  id: number;
  shopProductId: number;
  /** Fit for a sentence: one line, bounded, neutralised. */
  title: string;
}

/** How many products the process remembers by their inner id. */
const maxRemembered = 20_000;

/**
 * The product trap (section 4, rule 8): the inner `id` and the `shop_product_id` are usually equal,
 * and where they are not, the wrong one silently gives another product. Rows that passed by are
 * remembered, so that a number can be recognised as the other kind of id.
 */
export interface ProductIds {
  remember(rows: readonly unknown[]): void;
  /** The product whose inner id this is, when its shop_product_id is another number. */
  byInnerId(id: number): ProductIdPair | undefined;
  /** The product whose shop_product_id this is, when its inner id is another number. */
  byShopProductId(id: number): ProductIdPair | undefined;
}

/** A memory of the products whose two ids differ; bounded, forgets the oldest. */
export function createProductIds(): ProductIds {
  const inner = createLatelySeen<number, ProductIdPair>(maxRemembered);
  const shop = createLatelySeen<number, ProductIdPair>(maxRemembered);
  return {
    remember(rows) {
      for (const row of rows) {
        const pair = readPair(row);
        if (pair === undefined || pair.id === pair.shopProductId) continue;
        inner.set(pair.id, pair);
        shop.set(pair.shopProductId, pair);
      }
    },
    byInnerId: (id) => inner.get(id),
    byShopProductId: (id) => shop.get(id),
  };
}

/**
 * Checks the answer to a `shop_product_id`. Returns warnings that name both products.
 *
 * @throws {PlatformError} when the answer is another product than the one asked for.
 */
export function checkProduct(
  productIds: ProductIds,
  askedFor: number,
  product: unknown,
  endpoint: string,
): string[] {
  const pair = readPair(product);
  if (pair === undefined) return [];
  if (pair.shopProductId !== askedFor) {
    throw new PlatformError(
      'malformed_answer',
      `get_product asked for shop_product_id ${askedFor} and the platform answered with another product: "${pair.title}" (shop_product_id ${pair.shopProductId}, inner id ${pair.id}). It is not passed on. Find the product with search_products and use its shop_product_id.`,
      { endpoint, status: 200 },
    );
  }
  const warnings: string[] = [];
  if (pair.id !== pair.shopProductId)
    warnings.push(
      `This product has two ids: shop_product_id ${pair.shopProductId} (for get_product) and inner id ${pair.id} (for list_product_prices).`,
    );
  const other = productIds.byInnerId(askedFor);
  if (other !== undefined)
    warnings.push(
      `${askedFor} is also the inner id of another product, "${other.title}" (shop_product_id ${other.shopProductId}). This answer is "${pair.title}". If the number came from an inner id, ask get_product for shop_product_id ${other.shopProductId}.`,
    );
  return warnings;
}

/** More ids than these that may be meant otherwise are said in one sentence. */
const maxSentences = 3;

/** Warnings about numbers given as inner ids that are known as shop_product_ids of other products. */
export function checkInnerIds(productIds: ProductIds, askedFor: readonly number[]): string[] {
  const doubtful = askedFor.flatMap((id) => {
    const meant = productIds.byShopProductId(id);
    return meant === undefined ? [] : [{ id, meant }];
  });
  if (doubtful.length > maxSentences) {
    const examples = doubtful.slice(0, maxSentences).map(({ id }) => id);
    return [
      `${doubtful.length} of these ids, such as ${examples.join(', ')}, are also the shop_product_id of another product. product_ids takes inner ids, as product_id columns hold them.`,
    ];
  }
  return doubtful.map(
    ({ id, meant }) =>
      `${id} is the shop_product_id of "${meant.title}", whose inner id is ${meant.id}. product_ids takes inner ids: if that product is meant, ask for ${meant.id}.`,
  );
}

function readPair(row: unknown): ProductIdPair | undefined {
  if (!isRecord(row) || row.shop_product_id === undefined) return undefined;
  const id = numberIn(row.id);
  const shopProductId = numberIn(row.shop_product_id);
  if (!isId(id) || !isId(shopProductId)) return undefined;
  const title = typeof row.title === 'string' ? quote(row.title) : `product ${id}`;
  return { id, shopProductId, title };
}

function isId(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}
