import * as customers from './customers.ts';
import { type Endpoint, toolsets } from './define.ts';
import * as orders from './orders.ts';
import * as catalog from './products.ts';
import * as reference from './reference.ts';
import * as reports from './reports.ts';

/** In the order in which the tools are listed. */
export const endpoints: readonly Endpoint[] = [reports, orders, catalog, customers, reference]
  .flatMap((subject): Endpoint[] => Object.values(subject))
  .sort((a, b) => (listingOrder(a) < listingOrder(b) ? -1 : 1));

function listingOrder({ toolset, tool }: Endpoint): string {
  return `${toolsets.indexOf(toolset)} ${tool}`;
}
