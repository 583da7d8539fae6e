import { expect, test } from 'vitest';
import { findCustomer } from '../../../src/analysis/endpoint/find-record.ts';
import type { Client } from '../../../src/client/client.ts';
import { responseOf } from '../../../src/client/request/get.ts';
import { reasonOf } from '../../reasons.ts';
import { fakeServices } from '../fake-services.ts';

/** Who has words in some contact field, and where each lives. */
function over(rows: readonly { id: number; name: string }[], total = rows.length) {
  const get: Client['get'] = async (path) => {
    const id = Number(path.split('/').at(-1));
    const body = path.endsWith('/customer')
      ? { total, data: rows }
      : { id, address: { city: id % 2 === 1 ? 'Haarlem' : 'Zwolle' } };
    return responseOf({ body, readAtMs: 0, size: 0 }, false);
  };
  return { client: { ...fakeServices().client, get } };
}

const jan = { id: 1, name: 'Jan Jansen' };
const janToo = { id: 2, name: 'Jan Jansen' };
const sanne = { id: 3, name: 'Sanne Janssen' };

test.each([
  ['the one whose name it is', 'jan  JANSEN', [jan, sanne], jan],
  ['the only one who has the words', 'sanne', [sanne], sanne],
])('finds %s', async (_, given, rows, { id, name }) => {
  expect(await findCustomer(over(rows), given, {})).toEqual({ given, id, name });
});

test.each([
  ['several of one name, with their cities', 'Jan Jansen', [jan, janToo, sanne], 2],
  ['several who have the words', 'jan', [jan, sanne], 2],
  ['none', 'piet', [], 0],
])('refuses %s', async (_, name, rows, count) => {
  const cities = ['Zwolle', 'Haarlem'];
  const named = rows.slice(0, count).map((it) => ({ ...it, city: cities[it.id % 2] }));
  await expect(findCustomer(over(rows), name, {})).rejects.toThrow(
    reasonOf({ code: 'which_customer', name, count, customers: expect.arrayContaining(named) }),
  );
});
