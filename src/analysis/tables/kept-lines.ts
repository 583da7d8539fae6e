/** Order lines of a statement that need not be read: their orders were listed in it, in the state they were kept in. */
import { listOrderItems } from '../../endpoints/orders.ts';
import type { FoundLines } from '../../lines/kept-lines.ts';
import { type ListedOrder, listedOrders, type OrderLines } from '../lines/order-lines.ts';
import type { Row } from '../rows/rows.ts';
import type { Ask, TableRead } from './asks.ts';
import type { StatementTable } from './tables.ts';

/** The lines of the orders that one statement lists. */
export class StatementLines {
  readonly #lines: OrderLines;
  readonly #listed = new Map<unknown, { order: ListedOrder; found: Promise<FoundLines> }>();

  constructor(lines: OrderLines) {
    this.#lines = lines;
  }

  /** Looks for the lines of orders that were listed, while the statement says which of them it needs. */
  note(rows: readonly Row[]): void {
    const orders = listedOrders(rows);
    const found = this.#lines.find(orders);
    for (const order of orders) this.#listed.set(order.id, { order, found });
  }

  /** Gives the calls for lines that are kept what they would read. */
  async take({ tool, asks }: TableRead): Promise<void> {
    if (tool.tool !== listOrderItems.tool) return;
    for (const ask of asks) {
      const found = await this.#orderOf(ask)?.found;
      const rows = found?.rows.get(Number(ask.input.order_id));
      if (rows && found?.sinceMs !== undefined) ask.kept = { rows, sinceMs: found.sinceMs };
    }
  }

  /** Keeps the lines that were read, where their order was listed. */
  keep(ask: Ask): void {
    const { tool, answer } = ask;
    const order = this.#orderOf(ask)?.order;
    if (tool.tool !== listOrderItems.tool || order === undefined || !answer?.rows) return;
    const kept = this.#lines.asKept(order, answer.rows, Date.parse(answer.context.as_of));
    if (kept) this.#lines.add(kept);
  }

  /** Writes what was kept of a round. */
  save(): void {
    this.#lines.save();
  }

  /** The order that was listed, of a call that asks for all its lines. */
  #orderOf({ input, carried: { order_id: id } }: Ask) {
    return Object.keys(input).length === 1 ? this.#listed.get(Number(id)) : undefined;
  }
}

/** Whether a statement may ask for order lines, itself or through a view. */
export function mayAskForLines(sql: string, tables: ReadonlyMap<string, StatementTable>): boolean {
  const views = [...tables].filter(([, { kind }]) => kind.kind === 'view').map(([name]) => name);
  return [listOrderItems.tool, ...views].some((name) => sql.toLowerCase().includes(name));
}
