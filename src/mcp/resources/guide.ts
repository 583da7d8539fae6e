/** The guide, with sentences on how this account behaves and the days whose order lines are kept. */
export function guideWith(behaviour: readonly string[], keptDays: string | undefined): string {
  const heading = '## What is not here';
  const section = ['## What was seen of this account', ...behaviour.map((it) => `- ${it}`)].join(
    '\n',
  );
  const whole =
    behaviour.length === 0 ? guide : guide.replace(heading, () => `${section}\n\n${heading}`);
  if (keptDays === undefined) return whole;
  const kept = `- list_order_items: kept for ${keptDays}. There \`query\` reads the lines of all orders at next to no cost:
  \`FROM list_order_items(order_id := (SELECT id FROM list_orders(period := 'last_30_days')))\``;
  return whole.replace('\n## What', `${kept}\n\n## What`);
}

/** `commerce://guide`: how ids, money, days and scopes work here. Short. */
export const guide = `# How to read this business

## Days
- All days are Europe/Amsterdam days; ranges include both ends. A day begins at Amsterdam midnight.
- Say periods in words: today, yesterday, this_week, last_week, this_month, last_month, this_quarter,
  last_quarter, this_year, last_year, last_7_days, last_30_days, last_90_days; any number will do, of weeks
  (last_8_weeks) and months (last_3_months) too. A day (2026-11-02) and a range (2026-11-02..2026-11-08) are
  periods as well. Weeks begin on Monday; last_N_days end yesterday, last_N_weeks and last_N_months are whole
  ones; this_* ends today, which is not over.
- \`context.period\` says which days an answer is about.

## Money
- Euros. A field ending in \`_wt\` includes VAT; a plain name or \`_ex\` excludes it. Both are given by the
  platform: never derive one from the other.
- Order totals hold gift cards, tips and prepayments; turnover in reports does not (\`non_revenue\`), so the two
  differ. Internal orders may be in one and not in the other.
- One report call covers any range. Add up nothing yourself: \`query\` adds rows, and facts of one \`split\`.
  Figures that overlap are never added: a total and its parts, incl. and excl. VAT, two breakdowns.

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

- An order is asked for by its id, or by its order_number under that name.
- A product has a shop_product_id (get_product) and an inner id (list_product_prices). They are usually
  equal, and where they are not the wrong one silently gives another product.

## Questions over rows
- \`query\` answers in one SELECT what no single list or report does: each tool is a table function, read to
  its end under the pacing, and reference lists are plain tables.
  \`SELECT s.name, count(*), sum(o.total_wt) FROM list_orders(period := 'last_week') o JOIN shops s ON s.id = o.shop_id GROUP BY ALL\`
- \`SELECT * FROM tables\` (\`commerce://tables\`) shows every table with its arguments and columns.
- Reports are facts there: \`path\`, \`measure\`, \`value\`, and \`split\`, the breakdown that a value belongs to.
- A list called with \`all: true\` keeps its rows and profiles every column in \`context.result.columns\`: exact
  sums, counts per value. \`query\` reads kept rows as \`result('r_...')\`; \`read_rows\` shows the next slice.
- \`context.complete: false\` means that rows exist which this answer does not show; \`context.next\` gets them.

## What is not here
Staff and their hours, suppliers and their orders, opening hours, bookings, visitors, bank statements: the
interface does not hold them. Nothing can be changed through it.

## What you may see
- A key may be bound to locations. Out of scope answers as if missing (404).
- A report refused with 403 usually wants one \`location_id\`.
- \`commerce://access\` shows the role, its capabilities and the rate budget left.
`;
