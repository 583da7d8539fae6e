/** Order lines of a statement that need not be read: their orders were listed in it, in the state they were kept in. */
import { listOrderItems, listOrders } from '../../endpoints/orders.ts';
import { type ListedOrder, listedOrders, type OrderLines } from '../lines/order-lines.ts';
import type { Row } from '../rows/rows.ts';
import type { Ask } from './asks.ts';
import type { StatementTable } from './tables.ts';

/** The lines of the orders that one statement lists. */
export class StatementLines {
  readonly #lines: OrderLines;
  readonly #listed = new Map<unknown, ListedOrder>();

  constructor(lines: OrderLines) {
    this.#lines = lines;
  }

  /** Notes the state of orders that were listed: it tells whether the lines that are kept are theirs. */
  note(tool: string, rows: readonly Row[]): void {
    if (tool !== listOrders.tool) return;
    for (const order of listedOrders(rows)) this.#listed.set(order.id, order);
  }

  /** Gives calls for lines that are kept their rows. */
  async take(asks: readonly Ask[]): Promise<void> {
    const wanted = asks.flatMap((ask) => this.#orderOf(ask) ?? []);
    const found = wanted.length > 0 ? await this.#lines.find(wanted) : undefined;
    for (const ask of asks) {
      const lines = found?.rows.get(this.#orderOf(ask)?.id ?? Number.NaN);
      if (lines === undefined) continue;
      ask.rows = lines;
      ask.keptSinceMs = found?.sinceMs ?? 0;
    }
  }

  /** Keeps lines that were read, where their order was listed. */
  keep(ask: Ask): void {
    const order = this.#orderOf(ask);
    const { rows, context } = ask.answer ?? {};
    const kept = order && rows && this.#lines.asKept(order, rows, Date.parse(context?.as_of ?? ''));
    if (kept) this.#lines.add(kept);
  }

  /** The order that was listed, of a call that asks for all its lines. */
  #orderOf({ tool, input, carried: { order_id: id } }: Ask): ListedOrder | undefined {
    const isAll = tool.tool === listOrderItems.tool && Object.keys(input).length === 1;
    return isAll ? this.#listed.get(Number(id)) : undefined;
  }
}

/** Whether a statement may ask for order lines, itself or through a view. */
export function mayAskForLines(sql: string, tables: ReadonlyMap<string, StatementTable>): boolean {
  const views = [...tables].filter(([, { kind }]) => kind.kind === 'view').map(([name]) => name);
  return [listOrderItems.tool, ...views].some((name) => sql.toLowerCase().includes(name));
}
