/** Sums over orders: everything that the reports say, for one shop and any stretch of days. */
import { isRevenue, type Order, type RevenueLine } from '../trade/order.ts';

/**
 * An amount with and without VAT, both summed from the lines; neither is derived from the other.
 */
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
  readonly sales = amount();
  /** Positive for what came back. */
  readonly returns = amount();
  /** Positive for what rounding lost. */
  readonly differences = amount();
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

  /** Sales minus returns and differences. */
  turnover(): Amount {
    return {
      wtCents: this.sales.wtCents - this.returns.wtCents - this.differences.wtCents,
      exCents: this.sales.exCents - this.returns.exCents - this.differences.exCents,
    };
  }

  /** All non-revenue money together, in cents. */
  nonRevenueCents(): number {
    return Object.values(this.nonRevenue).reduce((total, cents) => total + cents, 0);
  }

  /**
   * What should have been received directly: paid turnover incl. VAT and non-revenue money, in
   * cents.
   */
  directPaidCents(): number {
    return totalOf(this.paidByRate.values()).wtCents + this.nonRevenueCents();
  }

  /** What was received, over all payment methods, in cents. */
  paymentCents(): number {
    return [...this.payments.values()].reduce((total, cents) => total + cents, 0);
  }

  #addRevenue(line: RevenueLine, byRate: Map<number, Amount>): void {
    const each = { wtCents: line.totalWtCents, exCents: line.totalExCents };
    if (line.kind === 'rounding') increase(this.differences, each, -1);
    else if (line.quantity < 0) increase(this.returns, each, -1);
    else increase(this.sales, each);
    this.costCents += line.costCents;
    increase(entry(byRate, line.taxRateId), each);
    increase(entry(this.byGroup, line.productGroupId), each);
    if (line.productId === null) return;
    const sale = saleEntry(this.products, line.productId);
    increase(sale, each);
    sale.quantity += line.quantity;
    sale.costCents += line.costCents;
  }
}

/** The sum of several amounts. */
export function totalOf(amounts: Iterable<Amount>): Amount {
  const total = amount();
  for (const each of amounts) increase(total, each);
  return total;
}

function amount(): Amount {
  return { wtCents: 0, exCents: 0 };
}

function increase(target: Amount, by: Amount, sign: 1 | -1 = 1): void {
  target.wtCents += sign * by.wtCents;
  target.exCents += sign * by.exCents;
}

function entry(map: Map<number, Amount>, id: number): Amount {
  const found = map.get(id) ?? amount();
  map.set(id, found);
  return found;
}

function saleEntry(map: Map<number, ProductSale>, id: number): ProductSale {
  const found = map.get(id) ?? { ...amount(), quantity: 0, costCents: 0 };
  map.set(id, found);
  return found;
}
