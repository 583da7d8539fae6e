/** Order lines of a statement that need not be read: their orders were listed in it, in the state they were kept in. */
import { amsterdamIso, type Day } from '../../core/calendar.ts';
import { listOrderItems, listOrders } from '../../endpoints/orders.ts';
import type { FoundLines } from '../../lines/kept-lines.ts';
import type { ArgumentValue, TableCall } from '../../query/provider.ts';
import type { TableUse } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { asKept, type ListedOrder, listedOrder, type OrderLines } from '../lines/order-lines.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import type { TablePart } from './join-answers.ts';
import type { NamedTable } from './named-tables.ts';

/** What of a round is kept. */
export interface KeptRound {
  /** The calls that are left, with the orders that are. */
  calls: TableCall[];
  /** Rows by the key of their call. */
  rows: ReadonlyMap<string, readonly Row[]>;
  /** Undefined where no call is about the lines of listed orders. */
  kept: NonNullable<TableUse['kept']> | undefined;
}

/** Orders that were listed, and what is kept of their lines. */
interface List {
  orders: ReadonlyMap<number, ListedOrder>;
  /** One on which they may have been placed. */
  day: Day;
  found: Promise<FoundLines>;
}

/** The lines of the orders that one statement lists. */
export class StatementLines {
  readonly #client: Services['client'];
  readonly #lines: OrderLines;
  readonly #lists: List[] = [];

  constructor(client: Services['client'], lines: OrderLines) {
    this.#client = client;
    this.#lines = lines;
    lines.prepare();
  }

  /** Looks for the lines of orders that were listed, while the statement says which of them it needs. */
  note({ tool }: Pick<ToolDefinition, 'tool'>, rows: readonly Row[], day: Day): void {
    if (tool !== listOrders.tool) return;
    const listed = rows.flatMap((row) => listedOrder(row) ?? []);
    const orders = new Map(listed.map((order) => [order.id, order]));
    this.#lists.push({ orders, day, found: this.#lines.find(listed) });
  }

  /** Takes from the calls of a round the orders whose lines are kept. */
  async take(calls: readonly TableCall[]): Promise<KeptRound> {
    const isOfLines = (call: TableCall) =>
      call.table === listOrderItems.tool &&
      call.carried.includes('order_id') &&
      Object.keys(call.args).length === 1;
    const wanted = new Set(calls.filter(isOfLines).flatMap(({ args }) => idsOf(args.order_id)));
    const isListed = (id: number) => this.#lists.some(({ orders }) => orders.has(id));
    if (![...wanted].some(isListed)) return { calls: [...calls], rows: new Map(), kept: undefined };
    const found = await Promise.all(this.#lists.map((list) => list.found));
    const linesOf = (id: number) => {
      for (const { rows } of found) if (rows.has(id)) return rows.get(id);
      return undefined;
    };
    const rows = new Map<string, readonly Row[]>();
    const missing = new Set<number>();
    const left = calls.flatMap((call) => {
      if (!isOfLines(call)) return [call];
      const ids = idsOf(call.args.order_id);
      const own: number[] = [];
      const kept: Row[] = [];
      for (const id of ids) {
        const lines = linesOf(id);
        if (lines) kept.push(...lines);
        else own.push(id);
      }
      rows.set(call.key, kept);
      for (const id of own) missing.add(id);
      const [only] = own;
      if (only === undefined) return [];
      return [{ ...call, args: { order_id: Array.isArray(call.args.order_id) ? own : only } }];
    });
    const since = found.flatMap(({ sinceMs }) => sinceMs ?? []);
    const kept = {
      ...{ orders: wanted.size - missing.size, of: wanted.size },
      rows: [...rows.values()].reduce((sum, { length }) => sum + length, 0),
      ...(since.length > 0 && { since: amsterdamIso(Math.min(...since)) }),
    };
    return { calls: left, rows, kept };
  }

  /** Keeps the lines that an answer holds, where their order was listed. */
  keep({ ask: { input }, answer }: TablePart): void {
    const id = Number(input.order_id);
    const list = this.#lists.findLast(({ orders }) => orders.has(id));
    const order = list?.orders.get(id);
    if (list === undefined || order === undefined || answer?.rows === undefined) return;
    const readAtMs = Date.parse(answer.context.as_of) - this.#client.clockAheadMs();
    const kept = asKept(order, answer.rows, { readAtMs, otherwise: list.day });
    if (kept) this.#lines.add(kept);
  }

  /** Writes what was kept of a round. */
  save(): void {
    this.#lines.save();
  }
}

/**
 * Whether a statement asks for order lines, itself or through views: it then reads orders anew, for
 * their stamps are to be those of now.
 */
export function asksForLines(sql: string, tables: ReadonlyMap<string, NamedTable>): boolean {
  const text = sql.toLowerCase();
  if (text.includes(listOrderItems.tool)) return true;
  return [...tables].some(([name, table]) => {
    const view = table.kind === 'own' ? table.definition.table : undefined;
    if (view?.kind !== 'view' || !text.includes(name)) return false;
    return asksForLines(view.sql, new Map([...tables].filter(([other]) => other !== name)));
  });
}

function idsOf(given: ArgumentValue | undefined): number[] {
  return [given].flat().flatMap((id) => (typeof id === 'number' ? [id] : []));
}
