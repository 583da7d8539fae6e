/** What endpoints answer from, and the forms that answers share. */
import type { Caller, Keyring } from '../access/keyring.ts';
import type { FaultPlan } from '../faults/fault.ts';
import type { World } from '../world/world.ts';
import type { RateLimiter } from './rate-limit.ts';

/** Live counters of what the sandbox was asked, since it started. */
export class Stats {
  /** Requests to the API origin, openapi.json included. */
  requests = 0;
  /** 429s among them. */
  refused = 0;
  /** Successful token exchanges. */
  exchanges = 0;
  /** Exchanges answered with 401. */
  failedExchanges = 0;
  inFlight = 0;
  /** By the path without its query, ids written as `{id}`. */
  readonly byPath: Record<string, number> = {};
  readonly byStatus: Record<number, number> = {};
}

/** The parts of one sandbox that both of its origins share. */
export interface Platform {
  world: World;
  keyring: Keyring;
  limiter: RateLimiter;
  stats: Stats;
  plan: FaultPlan;
  /** Added to each answer under /api, in milliseconds. */
  latencyMs: number;
  /** Fires when the sandbox closes. */
  closing: AbortSignal;
}

/** What an endpoint answers from, besides its parameters. */
export interface Request {
  world: World;
  caller: Caller;
  /** The address of the API, for links into the back office. */
  url: string;
  /** The account has what an account that described nothing was seen to have. */
  isOdd: boolean;
}

/** Which rows of a list are on a page. */
export interface Paging {
  start: number;
  limit: number;
}

/** Decimal euros, from whole cents. */
export function euros(cents: number): number {
  return cents / 100;
}

/** A list that comes whole (docs/platform.md#lists). */
export function list<Row>(data: readonly Row[]) {
  return { count: data.length, total: data.length, data };
}

/** One page of a list that has `total` rows overall. */
export function page<Row>(data: readonly Row[], total: number, { start, limit }: Paging) {
  return { count: data.length, total, start, limit, data };
}

/** One page out of all rows; `show` writes those that are on it. */
export function pageOf<Row>(all: readonly Row[], paging: Paging, show: (row: Row) => object) {
  const { start, limit } = paging;
  return page(all.slice(start, start + limit).map(show), all.length, paging);
}

/** One page of a change feed, and the cursor to go on from (docs/platform.md#change-feeds). */
export function feed<Row>(data: readonly Row[], cursor: object, limit: number) {
  const next_cursor = Buffer.from(JSON.stringify(cursor)).toString('base64url');
  return { count: data.length, data, next_cursor, has_more: data.length === limit };
}
