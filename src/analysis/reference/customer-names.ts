import { isRecord, numberIn } from '../../core/json.ts';
import { getCustomer, searchCustomers } from '../../endpoints/customers.ts';
import type { Endpoint } from '../../endpoints/define.ts';
import type { Fence } from '../fence.ts';
import { createLatelySeen } from './lately-seen.ts';

/** How many customers the process remembers by their id. */
const maxRemembered = 20_000;

/** Longest name that is remembered. */
const maxName = 100;

/**
 * The customers that passed by, so that a `relation_data_id` stands beside a name without a request
 * (section 2: it equals the id of a customer row).
 */
export interface CustomerNames {
  /** Learns from the rows of an endpoint, where they are customers. */
  remember(endpoint: Pick<Endpoint, 'tool'>, rows: readonly unknown[]): void;
  nameOf(id: number): string | undefined;
  /** Whether any of them is known. */
  any(): boolean;
}

/** A memory of customers' names; bounded, forgets the oldest. */
export function createCustomerNames(): CustomerNames {
  const names = createLatelySeen<number, string>(maxRemembered);
  const tools: readonly string[] = [searchCustomers.tool, getCustomer.tool];
  return {
    remember({ tool }, rows) {
      if (!tools.includes(tool)) return;
      for (const row of rows.filter(isRecord)) {
        const id = numberIn(row.id);
        const name = typeof row.name === 'string' ? row.name.trim() : '';
        if (Number.isSafeInteger(id) && name !== '') names.set(id, name.slice(0, maxName));
      }
    },
    nameOf: (id) => names.get(id),
    any: () => names.size > 0,
  };
}

/** The names as a caller may have them: nobody's without the toolset that customers belong to. */
export function fenceCustomerNames(names: CustomerNames, fence: Fence): CustomerNames {
  return fence.has(searchCustomers.toolset)
    ? names
    : { ...names, nameOf: () => undefined, any: () => false };
}
