/** What endpoints answer from, and the forms that answers share. */
import type { Caller } from '../access/keyring.ts';
import type { Address } from '../world/business/places.ts';
import type { World } from '../world/world.ts';

/** What an endpoint answers from, besides its parameters. */
export interface Request {
  world: World;
  caller: Caller;
  /** The address of the API, for links into the back office. */
  url: string;
}

/** Which rows of a list are asked for. */
export interface Window {
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
export function page<Row>(data: readonly Row[], total: number, { start, limit }: Window) {
  return { count: data.length, total, start, limit, data };
}

/** One page out of all rows; `show` writes those that are on it. */
export function pageOf<Row>(all: readonly Row[], window: Window, show: (row: Row) => object) {
  const { start, limit } = window;
  return page(all.slice(start, start + limit).map(show), all.length, window);
}

/** One page of a change feed, and the cursor to go on from (docs/platform.md#change-feeds). */
export function feed<Row>(data: readonly Row[], cursor: object, limit: number) {
  const next_cursor = Buffer.from(JSON.stringify(cursor)).toString('base64url');
  return { count: data.length, data, next_cursor, has_more: data.length === limit };
}

/** An address as it is shown everywhere. */
export function showAddress({ street, houseNumber, zipcode, city, countryCode }: Address) {
  return { street, house_number: houseNumber, zipcode, city, country_code: countryCode };
}
