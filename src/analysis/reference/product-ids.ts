import { LRUCache } from 'lru-cache';
import { PlatformError } from '../../core/errors.ts';
import { isRecord, toNumber, toText } from '../../core/json.ts';
import type { Warning } from '../../core/message.ts';
import { quote } from '../../core/text.ts';

interface ProductIdPair {
  id: number;
  shopProductId: number;
  title: string;
}

declare module '../../core/message.ts' {
  interface Messages {
    /**
     * A product has two ids; or another one has its shop_product_id as inner id; or what was taken for an inner id is
     * the shop_product_id of the one that is `meant`.
     */
    product_ids: { product: ProductIdPair; other?: ProductIdPair } | { meant: ProductIdPair };
    other_product: { requested: number; product: ProductIdPair };
  }
}

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
    if (pair.shopProductId !== requested)
      throw new PlatformError(
        'malformed_answer',
        { code: 'other_product', requested, product: pair },
        { status: 200 },
      );
    const other = this.byInnerId(requested);
    return [
      ...(pair.id === requested ? [] : [{ code: 'product_ids', product: pair } as const]),
      ...(other ? [{ code: 'product_ids', product: pair, other } as const] : []),
    ];
  }

  /** Warnings about inner ids that are the shop_product_id of other products. */
  checkInnerIds(ids: readonly number[]): Warning[] {
    return ids.flatMap((id) => {
      const meant = this.#pairs.get(`shop ${id}`);
      return meant ? [{ code: 'product_ids', meant }] : [];
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
