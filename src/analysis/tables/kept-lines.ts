/** Order lines of a statement that need not be read: their orders were listed in it, in the state they were kept in. */
import { amsterdamIso } from '../../core/calendar.ts';
import { listOrderItems } from '../../endpoints/orders.ts';
import type { FoundLines } from '../../lines/kept-lines.ts';
import { type ListedOrder, listedOrder, type OrderLines } from '../lines/order-lines.ts';
import type { Row } from '../rows/rows.ts';
import type { Ask, TablePlan } from './table-plan.ts';
import type { StatementTable } from './tables.ts';

/** Orders that were listed, and what is kept of their lines. */
interface List {
  orders: ReadonlyMap<number, ListedOrder>;
  found: Promise<FoundLines>;
}

/** The lines of the orders that one statement lists. */
export class StatementLines {
  readonly #lines: OrderLines;
  readonly #lists: List[] = [];

  constructor(lines: OrderLines) {
    this.#lines = lines;
    // Its process is started meanwhile.
    void lines.find([]);
  }

  /** Looks for the lines of orders that were listed, while the statement says which of them it needs. */
  note(rows: readonly Row[]): void {
    const listed = rows.flatMap((row) => listedOrder(row) ?? []);
    const orders = new Map(listed.map((order) => [order.id, order]));
    this.#lists.push({ orders, found: this.#lines.find(listed) });
  }

  /** Takes from a plan the orders whose lines are kept. */
  async take(plan: TablePlan): Promise<TablePlan> {
    const isByOrder = ({ input, carried }: Ask) =>
      Object.keys(input).length === 1 && carried.order_id !== undefined;
    const isListed = ({ input }: Ask) => this.#listed(input.order_id) !== undefined;
    if (plan.tool.tool !== listOrderItems.tool || !plan.asks.every(isByOrder)) return plan;
    if (!plan.asks.some(isListed)) return plan;
    const found = await Promise.all(this.#lists.map((list) => list.found));
    const rows = new Map<string, Row[]>();
    let count = 0;
    const asks = plan.asks.filter(({ input, call }) => {
      const id = Number(input.order_id);
      const lines = found.find((it) => it.rows.has(id))?.rows.get(id);
      if (lines === undefined) return true;
      const own = rows.get(call.key) ?? [];
      rows.set(call.key, own);
      for (const line of lines) own.push(line);
      count += lines.length;
      return false;
    });
    const since = found.flatMap(({ sinceMs }) => sinceMs ?? []);
    const use = {
      ...{ orders: plan.asks.length - asks.length, of: plan.asks.length, rows: count },
      ...(since.length > 0 && { since: amsterdamIso(Math.min(...since)) }),
    };
    return { ...plan, asks, kept: { use, rows } };
  }

  /** Keeps the lines that an answer holds, where their order was listed. */
  keep({ tool, input, answer }: Ask): void {
    if (tool.tool !== listOrderItems.tool || answer?.rows === undefined) return;
    const order = this.#listed(input.order_id);
    const readAtMs = Date.parse(answer.context.as_of);
    const kept = order && this.#lines.asKept(order, answer.rows, readAtMs);
    if (kept) this.#lines.add(kept);
  }

  /** Writes what was kept of a round. */
  save(): void {
    this.#lines.save();
  }

  #listed(id: unknown): ListedOrder | undefined {
    const list = this.#lists.findLast(({ orders }) => orders.has(Number(id)));
    return list?.orders.get(Number(id));
  }
}

/** Whether a statement may ask for order lines, itself or through a view. */
export function mayAskForLines(sql: string, tables: ReadonlyMap<string, StatementTable>): boolean {
  const text = sql.toLowerCase();
  const views = [...tables].filter(([, { kind }]) => kind.kind === 'view').map(([name]) => name);
  return [listOrderItems.tool, ...views].some((name) => text.includes(name));
}
