/** Order lines on disk; they are valid as long as the order's row shows the same stamp. */
import { createHash, createHmac } from 'node:crypto';
import type { Client } from '../../client/client.ts';
import type { ClientSettings } from '../../client/transport/runtime.ts';
import { amsterdamDay, readTimestamp } from '../../core/calendar.ts';
import { isStateName } from '../../core/column-name.ts';
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

export interface ListedOrder {
  id: number;
  /** A hash of the columns that show the order's state. */
  stamp: number;
  row: JsonObject;
}

/** The folder of kept lines, and the account that they belong to. */
export interface OrderLinesSettings
  extends Pick<ClientSettings, 'baseUrl' | 'authUrl' | 'clientId' | 'clientSecret'> {
  client: Pick<Client, 'get' | 'clockAheadMs'>;
  keepDir: string;
  keepMb: number;
  /** Failures are only logged: no question fails because of them. */
  log: Pick<Log, 'warn'>;
}

/** Orders that are written together; those that wait are lost if the process is killed. */
export const batchOrders = 500;

/** Stamps may be whole seconds, so lines read within this time of a change may be older than it. */
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

  /** The valid lines of orders; undefined where the disk fails. */
  find(orders: readonly ListedOrder[]): Promise<FoundLines | undefined> {
    return this.#withLines((lines) => lines.find(orders));
  }

  /**
   * Lines as they are kept, without columns about customers; undefined where they were read so soon after a change that
   * another may have had the same stamp.
   */
  keptOrder(order: ListedOrder, lines: readonly Row[], localMs: number): KeptOrder | undefined {
    const { id, stamp, row } = order;
    const { shop_id: shopId, date_updated: updated } = row;
    const readAtMs = localMs - this.#settings.client.clockAheadMs();
    const changedMs = updated === null ? 0 : (readTimestamp(updated)?.ms ?? readAtMs);
    if (readAtMs - changedMs < settledMs) return undefined;
    // The earliest moment in the row is when the order was placed.
    const moments = Object.values(row).flatMap((value) => readTimestamp(value)?.ms ?? []);
    const placedMs = Math.min(readAtMs, ...moments);
    // Tables need the id in each row.
    const rows = lines.map((line) => ({ order_id: id, ...line }));
    const visible = withhold(fenceWithoutCustomers, listOrderItems, { payload: {}, rows });
    return {
      id,
      stamp,
      readAtMs,
      lines: JSON.stringify(visible.rows),
      shopId: typeof shopId === 'number' ? shopId : null,
      day: amsterdamDay(placedMs),
    };
  }

  /** Queues lines to be written in batches; {@link save} writes the last one. */
  add(order: KeptOrder): void {
    this.#unsaved.push(order);
    if (this.#unsaved.length >= batchOrders) this.save();
  }

  /** Begins to write queued lines; only {@link close} waits for it. */
  save(): void {
    const orders = this.#unsaved.splice(0);
    if (orders.length === 0) return;
    const saved = this.#withLines((lines) => lines.keep(orders));
    this.#saving = Promise.all([this.#saving, saved]);
  }

  /** Opens the lines of this key and its present rights. @throws CommerceError where the platform does not tell these */
  async open(): Promise<KeptLines> {
    const { client, baseUrl, authUrl, clientId, keepDir, keepMb } = this.#settings;
    const key = createHmac('sha256', this.#settings.clientSecret)
      .update('order lines')
      .digest('hex');
    const { body } = await client.get('/api/me', { cacheForMs: accessTtlMs });
    if (this.#isClosed) throw new Error('Order lines are not read any more.');
    const { authorization = null } = isRecord(body) ? body : {};
    // Another secret makes another owner, since the digests of its parts differ.
    const identity = JSON.stringify([baseUrl, authUrl, clientId, authorization, key]);
    const owner = hashOf(identity).slice(0, 32);
    if (this.#kept?.owner !== owner) {
      this.#kept?.lines.close();
      const onLeftOut = (file: string) => this.#warn(`${file} is broken or of another key`);
      const maxBytes = keepMb * 1_000_000;
      const lines = new KeptLines({ folder: keepDir, owner, key, maxBytes, onLeftOut });
      this.#kept = { owner, lines };
    }
    return this.#kept.lines;
  }

  /** Tells how many orders of which days are kept, in how many MB. */
  async summary(): Promise<string> {
    const { orders, filled, bytes } = await (await this.open()).summary();
    const days = filled ? sayFilled(filled) : 'no whole day';
    return `${countNoun(orders, 'order')}, ${days}, ${(bytes / 1e6).toFixed(1)} of ${this.#settings.keepMb} MB`;
  }

  /** The days whose lines are kept; undefined where there are none, or the disk fails. */
  async keptDays(): Promise<string | undefined> {
    const { filled } = (await this.#withLines((lines) => lines.summary())) ?? {};
    return filled && sayFilled(filled);
  }

  async close(): Promise<void> {
    this.save();
    await this.#saving;
    this.#isClosed = true;
    this.#kept?.lines.close();
  }

  /** Logs a failure once, and gives undefined. */
  async #withLines<Result>(
    work: (lines: KeptLines) => Promise<Result>,
  ): Promise<Result | undefined> {
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
    this.#settings.log.warn({ reason }, 'kept order lines are incomplete');
  }
}

function sayFilled({ missing, ...days }: NonNullable<KeptSummary['filled']>): string {
  return `${sayDays(days)}${missing > 0 ? ` without ${countNoun(missing, 'day')} of them` : ''}`;
}

/** The orders of a list; rows without an id or without a column of their last change are left out. */
export function listedOrders(rows: readonly JsonObject[]): ListedOrder[] {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  const stateColumns = columns.filter(isStateName).sort();
  return rows.flatMap((row) => {
    const { id, date_updated: updated } = row;
    if (typeof id !== 'number' || (updated !== null && typeof updated !== 'string')) return [];
    const state = stateColumns.flatMap((name) => (name in row ? [[name, row[name]]] : []));
    const stamp = Number.parseInt(hashOf(JSON.stringify(state)).slice(0, 13), 16);
    return [{ id, stamp, row }];
  });
}

const fenceWithoutCustomers = new Set(toolsets.filter((toolset) => toolset !== 'customers'));

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
