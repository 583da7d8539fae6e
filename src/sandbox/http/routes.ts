import type { Route } from './route.ts';
import * as customers from './routes/customers.ts';
import * as me from './routes/me.ts';
import * as orders from './routes/orders.ts';
import * as products from './routes/products.ts';
import * as reference from './routes/reference.ts';
import * as reports from './routes/reports.ts';

/**
 * Every endpoint of the sandbox, by path: a brace sorts behind all letters, so that fixed paths stand
 * before those with an id, which would take them for one.
 */
export const ROUTES: readonly Route[] = [me, customers, orders, products, reference, reports]
  .flatMap((subject): Route[] => Object.values(subject))
  .sort((a, b) => (a.path < b.path ? -1 : 1));
