/** `commerce://guide`: how ids, money, days and scopes work here. Static and short. */
export const guide = `# How to read this business

## Days
- All days are Europe/Amsterdam days; ranges include both ends. A day begins at Amsterdam midnight.
- Say periods in words: today, yesterday, this_week, last_week, this_month, last_month, this_quarter,
  last_quarter, this_year, last_year, last_7_days, last_30_days, last_90_days. Weeks begin on Monday;
  last_N_days end yesterday; this_* ends today, which is not over.
- \`context.period\` says which days an answer is about.

## Money
- Euros. A field ending in \`_wt\` includes VAT; a plain name or \`_ex\` excludes it. Both are given by the
  platform: never derive one from the other.
- One report call covers any range. Do not add up days, pages or rows yourself.

## Ids
| field | what it names | list |
|---|---|---|
| shop_id | a sales channel: webshop, till | list_shops |
| location_id | a physical site, another id space than shops | list_locations |
| tax_rate_id | a VAT rate | list_tax_rates |
| product_group_id | a turnover group, also the ledger key | list_turnover_groups |
| provider_method_type_id | a payment method; type_alias is the stable key | list_payment_methods |
| segment_id | a customer segment | list_customer_segments |
| relation_data_id | a customer, the id of get_customer | search_customers |

- An order is asked for by its id, never by its order_number.
- A product has a shop_product_id (get_product) and an inner id (list_product_prices). They are usually
  equal, and where they are not the wrong one silently gives another product.

## Totals over rows
- Call a list with \`all: true\`. The answer keeps its rows and profiles every column in
  \`context.result.columns\`: exact sums, counts per value, distinct counts.
- \`summarize_rows\` groups and totals a kept result; \`read_rows\` shows a slice of it.
- \`context.complete: false\` means that rows exist which this answer does not show; \`context.next\` gets them.

## What you may see
- A key may be bound to locations. Out of scope answers as if missing (404).
- A report refused with 403 usually wants one \`location_id\`.
- \`commerce://access\` shows the role, its capabilities and the rate budget left.
`;
