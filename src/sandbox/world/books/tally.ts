/** Sums over orders: everything that the reports say, for any shops and any stretch of days. */
import { isRevenue, type Order, type RevenueLine } from '../trade/order.ts';

/** An amount with and without VAT, both summed from lines; neither is derived from the other. */
export interface Amount {
  wtCents: number;
  exCents: number;
}

/** What one product sold. */
export interface ProductSale extends Amount {
  quantity: number;
  costCents: number;
}

/** The sums of a set of orders. Internal orders do not count. */
export class Tally {
  orderCount = 0;
  readonly sales = nothing();
  /** Positive for what came back. */
  readonly returns = nothing();
  /** Positive for what rounding lost. */
  readonly differences = nothing();
  costCents = 0;
  readonly nonRevenue = { gift_card: 0, tip: 0, invoice_payment: 0, prepayment: 0 };
  /** Turnover per tax rate id, of orders paid directly and of orders still unpaid. */
  readonly paidByRate = new Map<number, Amount>();
  readonly unpaidByRate = new Map<number, Amount>();
  readonly byGroup = new Map<number, Amount>();
  /** Cents received per payment method id. */
  readonly payments = new Map<number, number>();
  /** Per inner product id. */
  readonly products = new Map<number, ProductSale>();

  add(order: Order): void {
    if (order.isInternal) return;
    this.orderCount += 1;
    const byRate = order.isPaid ? this.paidByRate : this.unpaidByRate;
    for (const line of order.lines) {
      if (isRevenue(line)) this.#addRevenue(line, byRate);
      else this.nonRevenue[line.kind] += line.totalWtCents;
    }
    for (const { methodId, amountCents } of order.payments) {
      this.payments.set(methodId, (this.payments.get(methodId) ?? 0) + amountCents);
    }
  }

  turnover(): Amount {
    const { sales, returns, differences } = this;
    return {
      wtCents: sales.wtCents - returns.wtCents - differences.wtCents,
      exCents: sales.exCents - returns.exCents - differences.exCents,
    };
  }

  nonRevenueCents(): number {
    return Object.values(this.nonRevenue).reduce((total, cents) => total + cents, 0);
  }

  /** What was due at once: paid turnover incl. VAT and non-revenue money, in cents. */
  directPaidCents(): number {
    return totalOf(this.paidByRate.values()).wtCents + this.nonRevenueCents();
  }

  paymentCents(): number {
    return [...this.payments.values()].reduce((total, cents) => total + cents, 0);
  }

  #addRevenue(line: RevenueLine, byRate: Map<number, Amount>): void {
    const { totalWtCents: wtCents, totalExCents: exCents, costCents, quantity } = line;
    const each = { wtCents, exCents };
    if (line.kind === 'rounding') increase(this.differences, each, -1);
    else if (quantity < 0) increase(this.returns, each, -1);
    else increase(this.sales, each);
    this.costCents += costCents;
    increase(entry(byRate, line.taxRateId, nothing), each);
    increase(entry(this.byGroup, line.productGroupId, nothing), each);
    if (line.productId === null) return;
    const none = () => ({ ...nothing(), quantity: 0, costCents: 0 });
    const sale = entry(this.products, line.productId, none);
    increase(sale, each);
    sale.quantity += quantity;
    sale.costCents += costCents;
  }
}

/** The sum of several amounts. */
export function totalOf(amounts: Iterable<Amount>): Amount {
  const total = nothing();
  for (const each of amounts) increase(total, each);
  return total;
}

function nothing(): Amount {
  return { wtCents: 0, exCents: 0 };
}

function increase(target: Amount, by: Amount, sign: 1 | -1 = 1): void {
  target.wtCents += sign * by.wtCents;
  target.exCents += sign * by.exCents;
}

function entry<Sum>(map: Map<number, Sum>, id: number, none: () => Sum): Sum {
  const found = map.get(id) ?? none();
  map.set(id, found);
  return found;
}
