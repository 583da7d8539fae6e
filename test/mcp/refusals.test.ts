import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { ROLE_NAMES, type RoleName } from '../../src/sandbox/http/access.ts';
import type { ToolAnswer } from '../clients.ts';
import { sandboxAt, serverOver, type TestServer } from '../server-over.ts';
import type { Sandbox } from '../spawn.ts';

let sandbox: Sandbox;
const servers = new Map<RoleName, TestServer>();

beforeAll(async () => {
  sandbox = await sandboxAt();
  for (const role of ROLE_NAMES) servers.set(role, await serverOver('memory', { sandbox, role }));
});

function callAs(role: RoleName, tool: string, args: JsonObject = {}): Promise<ToolAnswer> {
  return servers.get(role)?.ask(tool, args) ?? expect.unreachable(`no server for ${role}`);
}

const traceId = /trace_id [\w-]{8,}/;

describe('a refusal', () => {
  const yesterday = { period: 'yesterday' };
  const utrecht = 'location_id may be Utrecht Centraal (2), Utrecht Oost (3).';
  const seesNothing = 'This key may see nothing here; an administrator gives it a role.';
  const lacks = 'answered 403: The role Guest lacks the capability';

  test.each<[RoleName, tool: string, args: JsonObject, ...says: string[]]>([
    // docs/platform.md#errors, 400: the detail names the parameter.
    [
      'owner',
      'list_orders',
      { ...yesterday, status: 'lost' },
      'answered 400: status: "lost" is not a status.',
      'Correct the argument that the detail names',
      'Known values of status: new, complete, shipped; there may be more.',
    ],
    ['owner', 'list_order_changes', { cursor: 'made-up' }, 'answered 400: cursor: is malformed'],
    // docs/platform.md#capabilities and docs/platform.md#stock-by-location: which capability is missing.
    ['powerless', 'list_locations', {}, `${lacks} location.list`, seesNothing],
    ['powerless', 'get_location', { location_id: 2 }, `${lacks} location.view`, seesNothing],
    [
      'clerk',
      'search_products',
      { location_id: 2 },
      'This key lacks inventory.view_local, inventory.view_other_locations. get_me',
    ],
    [
      'manager',
      'search_products',
      { location_id: 5 },
      'lacks the capability inventory.view_other_locations',
      'This key covers Utrecht Centraal (2) only.',
    ],
    [
      'manager',
      'get_product',
      { shop_product_id: 1001, location_id: 5 },
      'This key lacks inventory.view_other_locations.',
      'This key covers Utrecht Centraal (2) only.',
    ],
    // docs/platform.md#report-scope: a scope of several locations, an open set, none at all.
    [
      'regional',
      'get_daily_close',
      { date: 'yesterday' },
      'answered 403',
      "This key sees 2 of the company's locations: no figure of the whole company can be had with it.",
      utrecht,
    ],
    ['auditor', 'get_financial_report', yesterday, 'answered 403', utrecht],
    [
      'unbound',
      'get_payment_report',
      yesterday,
      'The binding of the role Trainee covers no location.',
      'get_me shows the role',
    ],
    [
      'manager',
      'get_financial_report',
      { ...yesterday, location_id: 3 },
      'answered 404',
      'No location that this key may see has id 3.',
      'This key covers Utrecht Centraal (2) only.',
    ],
    // docs/platform.md#locations-out-of-scope and docs/platform.md#order-lines: missing and out of scope are told alike.
    [
      'owner',
      'get_order',
      { order_id: 99_999_999 },
      'answered 404',
      'An order_number is not an order id: give it as order_number',
    ],
    [
      'owner',
      'get_customer',
      { customer_id: 9_999_999 },
      'answered 404',
      'A customer id is the relation_data_id of orders',
    ],
    ['owner', 'get_product', { shop_product_id: 99_999 }, 'search_products shows both'],
    // docs/platform.md#ids: shop ids and location ids are different id spaces.
    [
      'owner',
      'get_financial_report',
      { ...yesterday, location_id: 4 },
      'answered 404',
      '4 is the shop Café Perron, not a location: its location_id is Utrecht Centraal (2).',
    ],
  ])('of the %s calling %s says what to do next', async (role, tool, args, ...says) => {
    const answer = await callAs(role, tool, args);
    expect(answer).toMatchObject({ isError: true, body: {}, links: [] });
    const isFirst = role === 'powerless' ? seesNothing : 'GET /api/';
    expect(answer.text).toMatch(new RegExp(`^${tool}: ${isFirst}`));
    expect(answer.text).toMatch(traceId);
    for (const words of says) expect(answer.text).toMatch(words);
  });

  test('of an order out of scope says so', async () => {
    const { world } = sandbox;
    const [order] = world.orders(world.unbalancedDay.date, undefined, { shopIds: [1, 7, 8] });
    const { text } = await callAs('manager', 'list_order_items', { order_id: order?.id });
    expect(text).toMatch(/^list_order_items: GET \/api\/.*answered 404/);
    expect(text).toContain('lies outside the locations of this key');
  });

  test('of a missing location and of one out of scope read alike, but for trace and id', async () => {
    const [missing, hidden] = await Promise.all(
      [99, 5].map((location_id) => callAs('manager', 'get_location', { location_id })),
    );
    const anonymous = (text = '') => text.replace(traceId, '').replace(/has id \d+/, '');
    expect(missing?.text).toContain('No location that this key may see has id 99.');
    expect(anonymous(hidden?.text)).toBe(anonymous(missing?.text));
  });

  test('of an empty list says when the number is known in the other id space', async () => {
    const answer = await callAs('owner', 'list_orders', { ...yesterday, shop_id: 5 });
    expect(answer.rows).toEqual([]);
    expect(answer.text).toContain(
      '5 is the location Amsterdam Noord, not a shop: its shop_id is Restaurant IJzicht (2)',
    );
  });

  test('of a product asked for by its inner id names both products', async () => {
    await callAs('owner', 'search_products', { limit: 200 });
    const { world } = sandbox;
    const swapped = world.products.find(({ id, shopProductId }) => id !== shopProductId);
    const answer = await callAs('owner', 'get_product', { shop_product_id: swapped?.id });
    expect(answer.text).toContain(`${swapped?.id} is also the inner id of another product`);
    expect(answer.text).toContain(`(shop_product_id ${swapped?.shopProductId})`);
    expect(answer.text).toContain(`ask get_product for shop_product_id ${swapped?.shopProductId}`);
  });
});
