import { z } from 'zod';

/**
 * What the demo reads of each answer. The names of inner fields are the sandbox's own: another platform
 * may have others, and nothing but the demo depends on them.
 */

const amount = z.number();
const names = z.record(z.string(), z.string());
const labels = z.looseObject({
  labels: z.object({ shop_id: names.optional(), tax_rate_id: names.optional() }).default({}),
});

/** `get_daily_close`: a day's turnover, orders and payments. */
export const dailyClose = z.looseObject({
  turnover: amount,
  turnover_wt: amount,
  order_count: z.number(),
  payments: z.array(z.looseObject({ name: z.string(), amount_wt: amount })),
});

/** `get_financial_report`: VAT per rate of what was paid directly. */
export const financialReport = z.looseObject({
  direct_paid: z.looseObject({
    rates: z.array(
      z.looseObject({
        tax_rate_id: z.number(),
        turnover: amount,
        turnover_wt: amount,
        vat: amount,
      }),
    ),
  }),
  context: labels,
});

/** `compare_turnover`: one row a figure. */
export const comparison = z.looseObject({
  data: z.array(
    z.looseObject({
      measure: z.string(),
      name: z.string(),
      current: amount.nullable(),
      reference: amount.nullable(),
      percent: z.number().nullable(),
    }),
  ),
});

/** `show_figure`: the numbers that are drawn. */
export const drawn = z.looseObject({ figure: z.unknown() });

/** `list_orders`: rows, and the names of their shops. */
export const orders = z.looseObject({
  data: z.array(
    z.looseObject({
      order_number: z.union([z.string(), z.number()]),
      date_created: z.string(),
      shop_id: z.number(),
      status: z.string(),
      total_wt: amount,
    }),
  ),
  context: labels,
});

/** `list_orders` with `all`: how many, and the sums of the columns. */
export const unpaid = z.looseObject({
  count: z.number(),
  context: z.looseObject({
    // Nothing is kept of an answer without rows.
    result: z
      .looseObject({
        columns: z.array(z.looseObject({ name: z.string(), sum: amount.optional() })),
      })
      .optional(),
  }),
});

/** `query`: the columns that the statement names. */
export const strayed = z.looseObject({
  data: z.array(z.looseObject({ customer: z.string(), orders: z.number(), euros: amount })),
});

/** `search_products`: rows with their stock. */
export const products = z.looseObject({
  data: z.array(z.looseObject({ title: z.string(), sku: z.string(), stock: z.number() })),
});

/** `commerce://access`: what is left of the rate budget. */
export const access = z.looseObject({
  rate_budget: z.looseObject({ limit: z.number(), remaining: z.number() }),
});
