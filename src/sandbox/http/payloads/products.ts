/** Payloads of the catalogue and of stock. */
import { decimal, delta, integer, moment, object, page, string } from './schema.ts';

const productFields = {
  id: integer('Inner product id.'),
  shop_product_id: integer('The key of /api/product/{id}; usually, not always, equal to id.'),
  sku: string('SKU.'),
  title: string('In the requested language.'),
  product_group_id: integer('Turnover group.'),
  price_wt: decimal('Sale price incl. VAT.'),
  price_ex: decimal('Sale price excl. VAT.'),
  stock: integer('Pieces, at the location asked for or rolled up over all.'),
};

export const productPayloads = {
  ProductPage: page(object(productFields)),
  ProductDelta: delta(
    object({ ...productFields, date_updated: moment('When the product itself changed.') }),
  ),
  Product: object(productFields),
  ProductPricePage: page(
    object(
      {
        id: integer('Price row id.'),
        product_id: integer('Inner product id.'),
        product_price_type_id: integer('1 is the sale price, 2 the purchase price.'),
        tax_rate_id: integer('On sale-price rows.'),
        price_wt: decimal('Incl. VAT, on sale-price rows.'),
        price_ex: decimal('Excl. VAT.'),
      },
      ['tax_rate_id', 'price_wt'],
    ),
  ),
  StockPage: page(
    object({
      product_id: integer('Inner product id.'),
      location_id: integer('Location.'),
      sku: string('SKU.'),
      title: string('Name.'),
      stock: integer('Pieces; below zero when more was sold than counted.'),
    }),
  ),
};
