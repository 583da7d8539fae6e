import { describe, expect, test } from 'vitest';
import { openInMemoryServer } from '../in-memory-server.ts';

describe('an address that cannot be meant', () => {
  test.each([
    ['commerce://orders/%', 'order_id must be a whole number of 1 or more, not "%"'],
    ['commerce://orders/%E0%A4%A', 'order_id must be a whole number'],
    ['commerce://orders/1%2F..%2Fme', 'order_id must be a whole number'],
    ['commerce://products/%', 'shop_product_id must be a whole number'],
    ['commerce://tax-rates/%', 'country_code'],
    ['commerce://results/%', 'nothing is kept under "%"'],
    ['commerce://results/%00', 'nothing is kept under'],
    ['commerce://results/r_0000000000.csv', 'nothing is kept under "r_0000000000"'],
  ])('%s is refused as an argument, in words', async (uri, says) => {
    const { client } = await openInMemoryServer({ ordersPerDay: 1 });
    await expect(client.readResource({ uri })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining(says),
    });
  });
});
