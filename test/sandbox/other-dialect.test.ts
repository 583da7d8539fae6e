import { expect, test } from 'vitest';
import { dayNumber } from '../../src/sandbox/world/business/calendar.ts';
import { runSql, sandboxAt, serverOver } from '../server-over.ts';
import { callAs } from './caller.ts';
import { inSandboxNames } from './other-dialect.ts';
import { revenueLines, sumOf } from './world/truth.ts';

const day = '2026-11-17';
const account = { description: 'bare', dialect: 'other' } as const;

test('the other dialect answers the same under other names and types', async () => {
  const [plain, other] = [await sandboxAt(), await sandboxAt({ dialect: 'other' })];
  const [order] = plain.world.orders(day);
  const [a, b] = [await callAs(plain), await callAs(other)];
  for (const path of [
    `/api/order/${order?.id}`,
    `/api/order/${order?.id}/item`,
    `/api/financial-report?from=${day}`,
    `/api/report/daily-close?date=${day}`,
    `/api/customer/${order?.relationId}`,
    '/api/shop',
    '/api/product-price?limit=5',
  ]) {
    const [ours, theirs] = [(await a.get(path)).body, (await b.get(path)).body];
    expect(theirs, path).not.toEqual(ours);
    const [text, back] = [JSON.stringify(ours), JSON.stringify(inSandboxNames(theirs))];
    // Flags are numbers, moments are in UTC.
    const tame = (said: string) =>
      said
        .replaceAll(
          /"(is_\w+)":(true|false|0|1)\b/g,
          (_, name, is) => `"${name}":${+(is === 'true' || is === '1')}`,
        )
        .replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, (moment) => String(Date.parse(JSON.parse(moment))));
    expect(tame(back).replaceAll(/127\.0\.0\.1:\d+/g, ''), path).toBe(
      tame(text).replaceAll(/127\.0\.0\.1:\d+/g, ''),
    );
  }
});

test('the other dialect lists internal orders, and sells before returns', async () => {
  const server = await serverOver('memory', { ...account, ordersPerDay: 200 });
  const { ledger } = server.sandbox.world;
  const { rows } = await runSql(
    server,
    `SELECT (SELECT count(*) FROM list_orders(period := '${day}')) AS orders,
      (SELECT sum(units) FROM get_product_sales(period := '${day}')) AS sold`,
  );
  const placed = [...ledger.placed(dayNumber(day), dayNumber(day))].flat();
  const counted = placed.filter(({ isInternal }) => !isInternal);
  expect(counted.length).toBeLessThan(placed.length);
  const lines = revenueLines(counted).filter(({ productId }) => productId !== null);
  const sold = lines.filter(({ quantity }) => quantity > 0);
  expect(sold.length).toBeLessThan(lines.length);
  expect(rows).toEqual([{ orders: placed.length, sold: sumOf(sold, 'quantity') }]);
});
