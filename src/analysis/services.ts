import type { Client } from '../client/client.ts';
import type { Fence } from './fence.ts';
import type { CustomerNames } from './reference/customer-names.ts';
import type { OrderNumbers } from './reference/order-numbers.ts';
import type { ProductIds } from './reference/product-ids.ts';
import type { Reference } from './reference/reference.ts';
import type { ResultStore } from './results/store.ts';
import type { Statements } from './statements.ts';

/** Everything that a question needs to be answered: one per API key, shared by all callers. */
export interface Services {
  readonly client: Client;
  readonly source: 'live' | 'sandbox';
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Most rows one call may read. */
  readonly maxRows: number;
  /** What the caller may have. */
  readonly fence: Fence;
  readonly reference: Reference;
  readonly results: ResultStore;
  readonly productIds: ProductIds;
  readonly orderNumbers: OrderNumbers;
  readonly customerNames: CustomerNames;
  readonly statements: Statements;
}
