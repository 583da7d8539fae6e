/** What the API document says of a query parameter (sections 4 and 8.6). */
export interface Documented {
  /** As JSON Schema has it; references are texts because they take names too. */
  type: 'string' | 'integer' | 'boolean';
  minimum?: number;
  maximum?: number;
  default?: unknown;
}

const text: Documented = { type: 'string' };
const flag: Documented = { type: 'boolean' };
const reference: Documented = { type: 'string' };
const start: Documented = { type: 'integer', minimum: 0, default: 0 };
const language: Documented = { type: 'string', default: 'nl' };
const range = { from: text, to: text };
const limit = (standard: number, maximum: number): Documented => ({
  type: 'integer',
  minimum: 1,
  maximum,
  default: standard,
});

/** The 24 endpoints of section 4, row by row, and the "Other endpoints" below it. */
export const documented: Record<string, Record<string, Documented>> = {
  '/api/me': {},
  '/api/customer': { q: text, segment_id: reference, start, limit: limit(50, 500) },
  '/api/customer/{id}': {},
  '/api/customer-segment': {},
  '/api/discount-order': { ...range, shop_id: reference, only_full: flag, include_negative: flag },
  '/api/financial-report': { ...range, location_id: reference },
  '/api/location': {},
  '/api/location/{id}': {},
  '/api/order': {
    ...range,
    shop_id: reference,
    status: text,
    is_internal: flag,
    is_paid: flag,
    segment_id: reference,
    start,
    limit: limit(100, 500),
  },
  '/api/order/delta': { since: text, cursor: text, limit: limit(100, 250) },
  '/api/order/{id}': {},
  '/api/order/{id}/item': {},
  '/api/payment-method': {},
  '/api/product': {
    q: text,
    language_code: language,
    location_id: reference,
    start,
    limit: limit(25, 200),
  },
  '/api/product/delta': {
    since: text,
    cursor: text,
    limit: limit(100, 250),
    language_code: language,
    location_id: reference,
  },
  '/api/product/{id}': { location_id: reference },
  '/api/product-price': { product_ids: text, start, limit: limit(100, 500) },
  '/api/report/payment': { ...range, location_id: reference },
  '/api/report/daily-close': { date: text, location_id: reference },
  '/api/stock': {},
  '/api/shop': {},
  '/api/tax-rate': { country_code: text },
  '/api/turnover-group': {},
  '/api/report/product-sale': {},
};
