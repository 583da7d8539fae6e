/** The opaque cursors of the two change feeds (section 4, rule 6). */
import { badParameter } from './problem.ts';

/** Where the order feed goes on: at this moment, from this order id up. */
export interface OrderCursor {
  feed: 'order';
  ms: number;
  id: number;
}

/** Where the product feed goes on: after this moment, or at it with ids not yet seen. */
export interface ProductCursor {
  feed: 'product';
  ms: number;
  seen: readonly number[];
}

/** A cursor as text. */
export function writeCursor(cursor: OrderCursor | ProductCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** @throws ProblemError 400 when the text is no cursor of the order feed */
export function readOrderCursor(text: string): OrderCursor {
  const { feed, ms, id } = readFields(text);
  if (feed === 'order' && isWhole(ms) && isWhole(id)) return { feed, ms, id };
  throw malformed();
}

/** @throws ProblemError 400 when the text is no cursor of the product feed */
export function readProductCursor(text: string): ProductCursor {
  const { feed, ms, seen } = readFields(text);
  if (feed === 'product' && isWhole(ms) && Array.isArray(seen) && seen.every(isWhole)) {
    return { feed, ms, seen };
  }
  throw malformed();
}

function readFields(text: string): Partial<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    throw malformed();
  }
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value);
}

function malformed() {
  return badParameter('cursor', 'is malformed: send next_cursor of an earlier answer unchanged.');
}
