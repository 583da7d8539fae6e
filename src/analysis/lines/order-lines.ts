/** The lines of orders that were read before: true for as long as the order's row shows the same stamp. */
import { createHash, createHmac } from 'node:crypto';
import type { Client } from '../../client/client.ts';
import type { ClientSettings } from '../../client/transport/runtime.ts';
import { amsterdamDay, readTimestamp } from '../../core/calendar.ts';
import { isOfState } from '../../core/column-name.ts';
import { messageOf, reasonIn } from '../../core/errors.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import type { Log, Message } from '../../core/message.ts';
import { sayDays } from '../../core/periods.ts';
import { countNoun } from '../../core/text.ts';
import { toolsets } from '../../endpoints/define.ts';
import { listOrderItems } from '../../endpoints/orders.ts';
import {
  type FoundLines,
  KeptLines,
  type KeptOrder,
  type KeptSummary,
} from '../../lines/kept-lines.ts';
import { withhold } from '../fence.ts';
import type { Row } from '../rows/rows.ts';

/** An order as its row in a list shows it. */
export interface ListedOrder {
  id: number;
  /** A hash of everything that the row says about the order's state. */
  stamp: number;
  row: JsonObject;
}

/** The folder of kept lines, and the account that they belong to. */
export interface OrderLinesSettings
  extends Pick<ClientSettings, 'baseUrl' | 'authUrl' | 'clientId' | 'clientSecret'> {
  client: Pick<Client, 'get' | 'clockAheadMs'>;
  keepDir: string;
  keepMb: number;
  /** Gets a line for each thing that goes wrong: no question fails for it. */
  log: Pick<Log, 'warn'>;
}

/** Orders that are kept together: as many are lost when the process is killed. */
export const batchOrders = 500;

/** Stamps may have whole seconds: lines read so soon after one may be older than the change. */
const settledMs = 5000;

const accessTtlMs = 60_000;

export class OrderLines {
  readonly #settings: OrderLinesSettings;
  #reported = '';
  #kept: { owner: string; lines: KeptLines } | undefined;
  #unsaved: KeptOrder[] = [];
  #saving: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(settings: OrderLinesSettings) {
    this.#settings = settings;
  }

  /** The lines of the orders whose state is the one that they were read in; nothing where that fails. */
  find(orders: readonly ListedOrder[]): Promise<FoundLines | undefined> {
    return this.#attempt((lines) => lines.find(orders));
  }

  /**
   * Lines as they are kept, without whatever might be about a customer; undefined where they were read
   * too soon after a change to be certain that another would move the stamp.
   */
  keptOrder(order: ListedOrder, lines: readonly Row[], ourMs: number): KeptOrder | undefined {
    const { id, stamp, row } = order;
    const { shop_id: shopId, date_updated: updated } = row;
    const readAtMs = ourMs - this.#settings.client.clockAheadMs();
    const changedMs = updated === null ? 0 : (readTimestamp(updated)?.ms ?? readAtMs);
    if (readAtMs - changedMs < settledMs) return undefined;
    // It was placed before all else that happened to it, whatever the column of that is called.
    const moments = Object.values(row).flatMap((value) => readTimestamp(value)?.ms ?? []);
    const placedMs = Math.min(readAtMs, ...moments);
    // Tables have the id in each row; the platform need not.
    const rows = lines.map((line) => ({ order_id: id, ...line }));
    const seen = withhold(withoutCustomers, listOrderItems, { payload: {}, rows });
    return {
      id,
      stamp,
      readAtMs,
      lines: JSON.stringify(seen.rows),
      shopId: typeof shopId === 'number' ? shopId : null,
      day: amsterdamDay(placedMs),
    };
  }

  /** Adds lines to those that are kept, some hundred orders at a time; {@link save} ends that. */
  add(order: KeptOrder): void {
    this.#unsaved.push(order);
    if (this.#unsaved.length >= batchOrders) this.save();
  }

  /** Writes what was added. Nothing waits for it but {@link close}. */
  save(): void {
    const orders = this.#unsaved.splice(0);
    if (orders.length === 0) return;
    const saved = this.#attempt((lines) => lines.keep(orders));
    this.#saving = Promise.all([this.#saving, saved]);
  }

  /** Opens the kept lines of this key and its present view. @throws CommerceError if the platform does not tell that view */
  async open(): Promise<KeptLines> {
    const { client, baseUrl, authUrl, clientId, keepDir, keepMb } = this.#settings;
    const key = createHmac('sha256', this.#settings.clientSecret)
      .update('order lines')
      .digest('hex');
    const { body } = await client.get('/api/me', { cacheForMs: accessTtlMs });
    if (this.#isClosed) throw new Error('Order lines are not read any more.');
    const { authorization = null } = isRecord(body) ? body : {};
    // Under another secret parts have other digests: they lie in a folder of their own.
    const whose = JSON.stringify([baseUrl, authUrl, clientId, authorization, key]);
    const owner = hashOf(whose).slice(0, 32);
    if (this.#kept?.owner !== owner) {
      this.#kept?.lines.close();
      const onLeftOut = (file: string) => this.#warn(`${file} is no part of what this key keeps`);
      const maxBytes = keepMb * 1_000_000;
      const lines = new KeptLines({ folder: keepDir, owner, key, maxBytes, onLeftOut });
      this.#kept = { owner, lines };
    }
    return this.#kept.lines;
  }

  /** How many orders are kept, of which days, in how much of the room that there is. */
  async summary(): Promise<string> {
    const { orders, filled, bytes } = await (await this.open()).summary();
    const days = filled ? sayFilled(filled) : 'no whole day';
    return `${countNoun(orders, 'order')}, ${days}, ${(bytes / 1e6).toFixed(1)} of ${this.#settings.keepMb} MB`;
  }

  /** The days whose lines are kept; undefined where none are, or that fails. */
  async keptDays(): Promise<string | undefined> {
    const { filled } = (await this.#attempt((lines) => lines.summary())) ?? {};
    return filled && sayFilled(filled);
  }

  async close(): Promise<void> {
    this.save();
    await this.#saving;
    this.#isClosed = true;
    this.#kept?.lines.close();
  }

  /** Reports a failure once, and gives nothing. */
  async #attempt<Result>(work: (lines: KeptLines) => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work(await this.open());
    } catch (error) {
      const reported = messageOf(error);
      if (this.#reported !== reported && !this.#isClosed) this.#warn(reasonIn(error));
      this.#reported = reported;
      return undefined;
    }
  }

  #warn(reason: Message | string): void {
    this.#settings.log.warn({ reason }, 'kept order lines are not whole');
  }
}

/** Days whose orders have all their lines on disk, except for some days within. */
function sayFilled({ missing, ...days }: NonNullable<KeptSummary['filled']>): string {
  return `${sayDays(days)}${missing > 0 ? ` without ${countNoun(missing, 'day')} of them` : ''}`;
}

/** Orders by the rows of a list; none for rows without an id, or without the time of their last change. */
export function listedOrders(rows: readonly JsonObject[]): ListedOrder[] {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  const ofState = columns.filter(isOfState).sort();
  return rows.flatMap((row) => {
    const { id, date_updated: updated } = row;
    if (typeof id !== 'number' || (updated !== null && typeof updated !== 'string')) return [];
    const state = ofState.flatMap((name) => (name in row ? [[name, row[name]]] : []));
    const stamp = Number.parseInt(hashOf(JSON.stringify(state)).slice(0, 13), 16);
    return [{ id, stamp, row }];
  });
}

const withoutCustomers = new Set(toolsets.filter((toolset) => toolset !== 'customers'));

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
