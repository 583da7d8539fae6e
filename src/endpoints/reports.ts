import { z } from 'zod';
import { decimal, defineEndpoint, fieldsOf, integer, listOf, text, unsent } from './define.ts';
import { date, flag, locationRef, range, shopRef, wholeList } from './parameters.ts';

const location = locationRef.optional();
const section = z.looseObject({}).nullish();

/** docs/platform.md#reports. */
const sections = ['revenue', 'direct_paid', 'not_paid_now', 'turnover_by_group'] as const;

/** docs/platform.md#reports. */
export const getFinancialReport = defineEndpoint({
  tool: 'get_financial_report',
  title: 'Financial report',
  description: [
    'Turnover (no gift cards, tips, prepayments), margin, payments, VAT per rate in two blocks. Any range: never add up days.',
    { needs: 'compare_turnover', text: 'Per shop, or VAT of a rate: compare_turnover.' },
  ],
  path: '/api/financial-report',
  toolset: 'reports',
  input: z.strictObject({
    ...range,
    location_id: location,
    sections: z
      .array(z.enum(sections))
      .max(20)
      .optional()
      .describe('Only these parts')
      .meta(unsent),
  }),
  output: fieldsOf({
    revenue: section,
    direct_paid: section,
    not_paid_now: section,
    turnover_by_group: z.unknown().optional(),
  }),
  sections,
  cache: 'closed_days',
  namedIds: ['shop_id', 'product_group_id', 'provider_method_type_id', 'tax_rate_id'],
});

/** docs/platform.md#reports: the same computation as `direct_paid` of the financial report. */
export const getPaymentReport = defineEndpoint({
  tool: 'get_payment_report',
  title: 'Payment report',
  description: 'Amount per payment method over a period, with balance_check.',
  path: '/api/report/payment',
  toolset: 'reports',
  input: z.strictObject({ ...range, location_id: location }),
  output: fieldsOf({}),
  cache: 'closed_days',
  namedIds: ['provider_method_type_id', 'location_id'],
});

/** docs/platform.md#reports. */
export const getDailyClose = defineEndpoint({
  tool: 'get_daily_close',
  title: 'Daily close (Z-report)',
  description:
    'One day: turnover incl. and excl. VAT, non-revenue, payments, order count. First choice for "how was yesterday".',
  path: '/api/report/daily-close',
  toolset: 'reports',
  input: z.strictObject({ date, location_id: location }),
  output: fieldsOf({}),
  cache: 'closed_days',
  namedIds: ['provider_method_type_id'],
});

/** docs/platform.md#what-is-not-documented: its parameters are completed from openapi.json. */
export const getProductSales = defineEndpoint({
  tool: 'get_product_sales',
  title: 'Product sales',
  description:
    'Sales per product; the answer says if returns are deducted. Best sellers: top by sort -<product turnover with VAT|COLUMN>.',
  path: '/api/report/product-sale',
  toolset: 'reports',
  input: z.strictObject({ ...range, location_id: location, ...wholeList() }),
  output: listOf({}),
  noun: 'products',
  hasOpenParameters: true,
  cache: 'closed_days',
  namedIds: ['product_group_id'],
});

/** docs/platform.md#discounted-orders. */
export const listDiscountOrders = defineEndpoint({
  tool: 'list_discount_orders',
  title: 'List discounted orders',
  description: [
    'Orders with a discount over 0 (discount_value_wt, incl. VAT).',
    { needs: 'query', text: 'For totals per shop use query.' },
  ],
  path: '/api/discount-order',
  toolset: 'reports',
  isOfCustomer: true,
  input: z.strictObject({
    ...range,
    shop_id: shopRef.optional(),
    only_full: flag.optional().describe('Only orders discounted to zero'),
    include_negative: flag.optional().describe('Also negative corrections'),
    ...wholeList('discount_value_wt'),
  }),
  output: listOf({
    id: integer,
    shop_id: integer,
    discount_value_wt: decimal,
    backoffice_url: text,
  }),
  noun: 'discounted orders',
  cache: 'closed_days',
  namedIds: ['shop_id', 'segment_id'],
});
