import { LRUCache } from 'lru-cache';
import { PlatformError } from '../../core/errors.ts';
import { isRecord, toNumber, toText } from '../../core/json.ts';
import { messagesOf, type Warning } from '../../core/message.ts';
import { quote } from '../../core/text.ts';

interface ProductIdPair {
  id: number;
  shopProductId: number;
  title: string;
}

/** A product with two ids, or the product whose shop_product_id was taken for an inner id. */
type ConfusedIds =
  | {
      product: ProductIdPair;
      /** The product whose inner id equals the shop_product_id. */
      other?: ProductIdPair;
    }
  | { meant: ProductIdPair };

export const productMessages = messagesOf({
  product_ids: (ids: ConfusedIds) => {
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
  other_product: ({ requested, product }: { requested: number; product: ProductIdPair }) =>
    `get_product asked for shop_product_id ${requested} and the platform answered with another product: "${product.title}" (shop_product_id ${product.shopProductId}, inner id ${product.id}). It is not passed on. Find the product with search_products and use its shop_product_id.`,
});

/** Remembers products whose inner `id` and `shop_product_id` differ, to warn of mistaken ids (docs/platform.md#product-ids). */
export class ProductIds {
  readonly #pairs = new LRUCache<`${'inner' | 'shop'} ${number}`, ProductIdPair>({ max: 10_000 });

  remember(rows: readonly unknown[]): void {
    for (const row of rows) {
      const pair = readPair(row);
      if (pair === undefined || pair.id === pair.shopProductId) continue;
      this.#pairs.set(`inner ${pair.id}`, pair);
      this.#pairs.set(`shop ${pair.shopProductId}`, pair);
    }
  }

  /** Undefined for products whose two ids are equal. */
  productOfInnerId(id: number): ProductIdPair | undefined {
    return this.#pairs.get(`inner ${id}`);
  }

  /** @throws {PlatformError} where the platform gave another product than was requested */
  checkProduct(requested: number, product: unknown): Warning[] {
    const pair = readPair(product);
    if (pair === undefined) return [];
    if (pair.shopProductId !== requested)
      throw new PlatformError(
        'malformed_answer',
        productMessages.other_product({ requested, product: pair }),
        { status: 200 },
      );
    const other = this.productOfInnerId(requested);
    return [
      ...(pair.id === requested ? [] : [productMessages.product_ids({ product: pair })]),
      ...(other ? [productMessages.product_ids({ product: pair, other })] : []),
    ];
  }

  /** Warns of inner ids that are the shop_product_id of other products. */
  checkInnerIds(ids: readonly number[]): Warning[] {
    return ids.flatMap((id) => {
      const meant = this.#pairs.get(`shop ${id}`);
      return meant ? [productMessages.product_ids({ meant })] : [];
    });
  }
}

function readPair(row: unknown): ProductIdPair | undefined {
  if (!isRecord(row)) return undefined;
  const id = toNumber(row.id);
  const shopProductId = toNumber(row.shop_product_id);
  if (!(id >= 1 && shopProductId >= 1)) return undefined;
  return { id, shopProductId, title: quote(toText(row.title)) || `product ${id}` };
}
