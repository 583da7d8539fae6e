import { LRUCache } from 'lru-cache';
import { PlatformError } from '../../core/errors.ts';
import { isRecord, toNumber, toText } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import type { Warning } from '../../core/warning.ts';

/**
 * The products seen lately whose inner `id` and `shop_product_id` differ: one taken for the other
 * silently means another product (docs/platform.md#product-ids).
 */
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

  /** The product whose inner id this is, when its shop_product_id is another number. */
  byInnerId(id: number): ProductIdPair | undefined {
    return this.#pairs.get(`inner ${id}`);
  }

  /** Warnings about the answer to a `shop_product_id`. @throws {PlatformError} when it is another product */
  checkProduct(requested: number, product: unknown): Warning[] {
    const pair = readPair(product);
    if (pair === undefined) return [];
    const { id, shopProductId, title } = pair;
    if (shopProductId !== requested)
      throw new PlatformError(
        'malformed_answer',
        `get_product asked for shop_product_id ${requested} and the platform answered with another product: "${title}" (shop_product_id ${shopProductId}, inner id ${id}). It is not passed on. Find the product with search_products and use its shop_product_id.`,
        { status: 200 },
      );
    const both = `This product has two ids: shop_product_id ${shopProductId} (for get_product) and inner id ${id} (for list_product_prices).`;
    const other = this.byInnerId(requested);
    const trap = `${requested} is also the inner id of another product, "${other?.title}" (shop_product_id ${other?.shopProductId}). This answer is "${title}". If the number came from an inner id, ask get_product for shop_product_id ${other?.shopProductId}.`;
    const texts = [...(id === shopProductId ? [] : [both]), ...(other ? [trap] : [])];
    return texts.map((text) => ({ code: 'product_ids', text }));
  }

  /** Warnings about inner ids that are the shop_product_id of other products. */
  checkInnerIds(ids: readonly number[]): Warning[] {
    return ids.flatMap((id) => {
      const meant = this.#pairs.get(`shop ${id}`);
      if (meant === undefined) return [];
      const text = `${id} is the shop_product_id of "${meant.title}", whose inner id is ${meant.id}. product_ids takes inner ids: if that product is meant, ask for ${meant.id}.`;
      return [{ code: 'product_ids', text }];
    });
  }
}

type ProductIdPair = NonNullable<ReturnType<typeof readPair>>;

function readPair(row: unknown) {
  if (!isRecord(row)) return undefined;
  const [id, shopProductId] = [toNumber(row.id), toNumber(row.shop_product_id)];
  if (!(id >= 1 && shopProductId >= 1)) return undefined;
  return { id, shopProductId, title: quote(toText(row.title)) || `product ${id}` };
}
