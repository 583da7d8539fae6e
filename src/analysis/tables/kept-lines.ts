/** Order lines of a statement that need not be read: their orders were listed in it, in the state they were kept in. */
import { amsterdamIso, type Day } from '../../core/calendar.ts';
import { listOrderItems, listOrders } from '../../endpoints/orders.ts';
import type { ArgumentValue, TableCall } from '../../query/provider.ts';
import type { TableUse } from '../answer.ts';
import { asKept, type ListedOrder, listedOrder } from '../lines/order-lines.ts';
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

/** The lines of the orders that one statement lists. */
export class StatementLines {
  readonly #services: Pick<Services, 'client' | 'orderLines'>;
  readonly #lists: { rows: readonly Row[]; day: Day }[] = [];
  #listed: Map<number, ListedOrder & { day: Day }> | undefined;

  constructor(services: Pick<Services, 'client' | 'orderLines'>) {
    this.#services = services;
  }

  /** Takes note of orders that were listed; `day` is one on which they may have been placed. */
  note(tool: string, rows: readonly Row[], day: Day): void {
    if (tool !== listOrders.tool) return;
    this.#lists.push({ rows, day });
    this.#listed = undefined;
  }

  /** Takes from the calls of a round the orders whose lines are kept. */
  async take(calls: readonly TableCall[]): Promise<KeptRound> {
    const { orderLines } = this.#services;
    const listed = this.#listedOrders();
    const isOfLines = (call: TableCall) =>
      call.table === listOrderItems.tool &&
      call.carried.includes('order_id') &&
      Object.keys(call.args).length === 1;
    const wanted = calls.filter(isOfLines).flatMap(({ args }) => idsOf(args.order_id));
    const orders = [...new Set(wanted)].flatMap((id) => listed.get(id) ?? []);
    if (orderLines === undefined || orders.length === 0)
      return { calls: [...calls], rows: new Map(), kept: undefined };
    const { rows: found, sinceMs } = await orderLines.find(orders);
    const rows = new Map<string, readonly Row[]>();
    const left = calls.flatMap((call) => {
      if (!isOfLines(call)) return [call];
      const ids = idsOf(call.args.order_id);
      rows.set(
        call.key,
        ids.flatMap((id) => found.get(id) ?? []),
      );
      const missing = ids.filter((id) => !found.has(id));
      if (missing.length === 0) return [];
      const [only] = missing;
      const order_id = Array.isArray(call.args.order_id) ? missing : (only ?? null);
      return [{ ...call, args: { order_id } }];
    });
    const kept = {
      ...{ orders: found.size, of: new Set(wanted).size },
      rows: [...rows.values()].reduce((sum, { length }) => sum + length, 0),
      ...(sinceMs !== undefined && { since: amsterdamIso(sinceMs) }),
    };
    return { calls: left, rows, kept };
  }

  /** Keeps the lines that an answer holds, where their order was listed. */
  keep({ ask: { input }, answer }: TablePart): void {
    const { orderLines, client } = this.#services;
    const order = this.#listedOrders().get(Number(input.order_id));
    if (orderLines === undefined || order === undefined || answer?.rows === undefined) return;
    const readAtMs = Date.parse(answer.context.as_of) - client.clockAheadMs();
    const kept = asKept(order, answer.rows, { readAtMs, otherwise: order.day });
    if (kept) orderLines.add(kept);
  }

  #listedOrders() {
    this.#listed ??= new Map(
      this.#lists.flatMap(({ rows, day }) =>
        rows.flatMap((row) => {
          const order = listedOrder(row);
          return order ? [[order.id, { ...order, day }] as const] : [];
        }),
      ),
    );
    return this.#listed;
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
