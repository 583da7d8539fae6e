/**
 * A second dialect of what the API document leaves open (docs/platform.md#what-is-not-documented): other names, types,
 * kinds and defaults than the sandbox's own. Tests are written in the sandbox's names and translated both ways.
 */
import { isRecord } from '../../src/core/json.ts';
import { tallyOf } from '../../src/sandbox/world/books/tally.ts';
import { dayNumber } from '../../src/sandbox/world/business/calendar.ts';
import type { World } from '../../src/sandbox/world/world.ts';

/** Names that the document does not give, by the sandbox's own: it gives `total_turnover`, and `_wt` for VAT included. */
const fields: Readonly<Record<string, string>> = {
  // Orders and their lines.
  date_created: 'date_placed',
  customer_name: 'buyer',
  status: 'phase',
  is_paid: 'paid',
  is_internal: 'internal',
  total_wt: 'amount_due_wt',
  total_ex: 'amount_due',
  quantity: 'units',
  // Prices.
  price_wt: 'unit_price_wt',
  price_ex: 'unit_price',
  // Reference rows, customers and addresses.
  name: 'label',
  first_name: 'given_name',
  last_name: 'family_name',
  company: 'organisation',
  email: 'mail',
  phone: 'telephone',
  street: 'road',
  house_number: 'house_no',
  zipcode: 'postcode',
  city: 'town',
  country_code: 'country',
  type: 'channel',
  percentage: 'rate_percent',
  ledger_code: 'ledger',
  // Reports.
  turnover: 'sold',
  turnover_wt: 'sold_wt',
  cost_of_goods_sold: 'goods_cost',
  vat: 'tax',
  shop_totals: 'per_shop',
  amount_wt: 'received_wt',
  payments_wt: 'received_sum_wt',
  difference_wt: 'deviation_wt',
  is_balanced: 'agrees',
  gift_cards: 'vouchers',
  tips: 'gratuities',
  payments_on_invoice: 'on_account',
  prepayments: 'deposits',
  order_count: 'number_of_orders',
};

/** Lists of reports; `query` has tables of these names. */
const lists: Readonly<Record<string, string>> = {
  rates: 'per_rate',
  groups: 'per_group',
  shops: 'of_shops',
};

/** Kinds of order lines, by the sandbox's own. */
const kinds: Readonly<Record<string, string>> = {
  product: 'article',
  shipping: 'freight',
  payment: 'fee',
  discount: 'price_reduction',
  rounding: 'settlement',
  gift_card: 'voucher',
  tip: 'gratuity',
  invoice_payment: 'account_payment',
  prepayment: 'deposit',
};

/** A name that the document gives on the rows of some paths alone. */
const ofPath: readonly (readonly [path: RegExp, names: Readonly<Record<string, string>>])[] = [
  [/^\/api\/customer-segment$/, { name: 'name' }],
  [/^\/api\/order\/\d+\/item$/, { title: 'description' }],
  [/^\/api\/stock$/, { stock: 'on_hand' }],
];

const amounts = /_wt$|_ex$|^(turnover|vat|value|tips|prepayments|gift_cards|payments_on_invoice)$/;
/** Amounts of reports; `total` of a list is none. */
const reportAmounts = /^(total_|cost_|non_revenue$)/;

function writeValue(name: string, value: unknown): unknown {
  if (name === 'kind') return kinds[String(value)] ?? value;
  if (name === 'quantity') return Number(value).toFixed(3);
  if (typeof value === 'boolean' && /^is_/.test(name)) return value ? 1 : 0;
  if (typeof value === 'number' && (amounts.test(name) || reportAmounts.test(name)))
    return value.toFixed(2);
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*\+0\d:00$/.test(value))
    return new Date(value).toISOString().replace('.000Z', '+00:00');
  return value;
}

/** A payload of a path under /api in this dialect. */
export function inOtherDialect(path: string, payload: unknown): unknown {
  const own = Object.assign({}, ...ofPath.map(([pattern, names]) => pattern.test(path) && names));
  const names: Readonly<Record<string, string>> = { ...fields, ...lists, ...own };
  const write = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((each) => write(each, name));
    if (!isRecord(value)) return writeValue(name, value);
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        names[key] ?? key,
        // The total of what is no revenue is an amount, that of a list is none.
        write(each, key === 'total' && name === 'non_revenue' ? 'total_wt' : key),
      ]),
    );
  };
  return write(payload, '');
}

/** Other defaults: the list of orders holds internal ones as well, product sales are before returns. */
export function useOtherDefaults(world: World): void {
  const { ledger } = world;
  const page = ledger.page.bind(ledger);
  // Pages are asked for by the API alone: the truth of tests takes whole periods.
  const whenPaged = (limit: number | undefined) => (limit === undefined ? undefined : 'any');
  ledger.page = (from, to, { isInternal, ...filter }, start, limit) =>
    page(from, to, { ...filter, isInternal: isInternal ?? whenPaged(limit) }, start, limit);
  const report = world.report.bind(world);
  world.report = (from, to = from, scope = {}) => {
    const { shopId, locationId } = scope;
    const sold = [...ledger.placed(dayNumber(from), dayNumber(to))]
      .flat()
      .filter((order) => order.shopId === (shopId ?? order.shopId))
      .filter((order) => order.locationId === (locationId ?? order.locationId))
      .map((order) => ({ ...order, lines: order.lines.filter(({ quantity }) => quantity > 0) }));
    return { ...report(from, to, scope), products: tallyOf(sold).products };
  };
}

/** `since` without an offset is UTC. */
export function sinceInUtc(url: string): string {
  return url.replace(
    /([?&]since=[^&]*T\d\d(?:%3A|:)\d\d(?:(?:%3A|:)\d\d)?(?:\.\d+)?)(?=&|$)/,
    '$1Z',
  );
}

/** A statement, or a measure, that is written in the sandbox's names; one in double quotes is the document's and stays. */
export function sayInOther(text: string): string {
  return text
    .replaceAll(/\bi\.title\b/g, 'i.description')
    .replaceAll(/\bk\.stock\b/g, 'k.on_hand')
    .replaceAll(/'[^']*'/g, (quoted) => quoted.replaceAll(/\w+/g, (word) => lists[word] ?? word))
    .replaceAll(/'(\w+)'/g, (quoted, word) => (word in kinds ? `'${kinds[word]}'` : quoted))
    .replaceAll(/(?<!")\b\w+\b(?!\s*:=)/g, (word) => fields[word] ?? word);
}

/** A measure that is written in the sandbox's names; turnover, VAT and the count of orders are called so of any account. */
export function sayMeasureInOther(measure: string): string {
  const isAnyAccounts = /^(order_count|turnover|vat$)/.test(measure);
  return isAnyAccounts ? measure : sayInOther(measure).replaceAll(/\w+/g, (it) => lists[it] ?? it);
}

const sandboxNames = new Map(
  Object.entries({ ...fields, ...lists, title: 'description', stock: 'on_hand' }).map(
    ([own, other]) => [other, own],
  ),
);
const sandboxKinds = new Map(Object.entries(kinds).map(([own, other]) => [other, own]));

/** A name or a path in the sandbox's names. */
export function saidInSandbox(path: string): string {
  return path.replaceAll(/\w+/g, (word) => sandboxNames.get(word) ?? word);
}

/** An answer in the sandbox's names and types. */
export function inSandboxNames(value: unknown, name = ''): unknown {
  // The warnings are the server's own words.
  if (name === 'warnings') return value;
  if (Array.isArray(value)) return value.map((each) => inSandboxNames(each, name));
  if (isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [saidInSandbox(key), inSandboxNames(each, key)]),
    );
  if (typeof value !== 'string') return value;
  if (name === 'kind') return sandboxKinds.get(value) ?? value;
  if (/^(measures?|path|column)$/.test(name)) return saidInSandbox(value);
  // The name of a column in a profile.
  if (name === 'name') return sandboxNames.get(value) ?? value;
  return /^-?\d+\.\d{2,3}$/.test(value) ? Number(value) : value;
}
