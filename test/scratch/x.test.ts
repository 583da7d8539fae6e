import { test } from 'vitest';
import { runSql, serverOver } from '../server-over.ts';

test('x', async () => {
  const s = await serverOver('memory', {
    description: 'bare',
    settings: { COMMERCE_DEFINITIONS: 'definitions' },
  } as never);
  const { survey } = s.app.services;
  console.log(survey.columnsOf('list_orders'));
  console.log(await s.app.statements.definitions().then((d) => [[...d.tables.keys()], d.problems]));
  for (const n of [
    'internalOrders',
    'productSalesReturns',
    'changeFeedInternal',
    'walkInCustomer',
    'firstDay',
  ] as const)
    console.log(n, await survey.behaviour(n));
  const before = s.sandbox.stats.requests;
  const r = await s.ask('query', { sql: 'SELECT * FROM regulars LIMIT 2' });
  console.log(r.text, s.sandbox.stats.requests - before);
}, 60000);
