import { describe, expect, test } from 'vitest';
import { fenceOf } from '../../../src/analysis/fence.ts';
import {
  createCustomerNames,
  fenceCustomerNames,
} from '../../../src/analysis/reference/customer-names.ts';
import { labelPayload } from '../../../src/analysis/reference/labels.ts';
import { getCustomer, searchCustomers } from '../../../src/endpoints/customers.ts';
import { toolsets } from '../../../src/endpoints/define.ts';
import { listOrders } from '../../../src/endpoints/orders.ts';
import { fakeServices } from '../fake-services.ts';

function namesOf(...rows: unknown[]) {
  const names = createCustomerNames();
  names.remember(searchCustomers, rows);
  return names;
}

describe('the names of customers', () => {
  test('are learnt from customers that passed by, and from nothing else', () => {
    const names = namesOf({ id: 5, name: ' Anna ' }, { id: '6', name: 'Bram' }, { name: 'x' }, 7);
    names.remember(getCustomer, [{ id: 7, name: 'Chloé' }]);
    names.remember(listOrders, [{ id: 8, name: 'an order' }]);
    expect([5, 6, 7, 8].map(names.nameOf)).toEqual(['Anna', 'Bram', 'Chloé', undefined]);
  });

  test('stand beside a relation_data_id that has no name yet', async () => {
    const { services, asked } = fakeServices();
    const own = {
      ...services,
      customerNames: namesOf({ id: 5, name: 'Anna' }, { id: 6, name: 'Bram' }),
    };
    const orders = [
      { id: 1, relation_data_id: 5 },
      { id: 2, relation_data_id: 6, customer_name: 'Bram' },
      { id: 3, relation_data_id: 9 },
    ];
    const { labels } = await labelPayload(own, orders);
    expect(labels).toEqual({ relation_data_id: { '5': 'Anna' } });
    expect(asked).toEqual([]);
  });

  test('are nobody’s who lacks the toolset customers', () => {
    const names = namesOf({ id: 5, name: 'Anna' });
    const without = toolsets.filter((toolset) => toolset !== 'customers');
    expect(fenceCustomerNames(names, fenceOf(without)).nameOf(5)).toBeUndefined();
    expect(fenceCustomerNames(names, fenceOf(toolsets)).nameOf(5)).toBe('Anna');
  });
});
