import { beforeAll, describe, expect, test } from 'vitest';
import { type Alternatives, resolveMessages } from '../../src/analysis/reference/resolve.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Message } from '../../src/core/message.ts';
import { ROLES } from '../../src/sandbox/http/access.ts';
import type { ToolAnswer } from '../clients.ts';
import type { RoleName } from '../sandbox/by-hand.ts';
import { accounts, sandboxAt, serverOver, type TestServer } from '../server-over.ts';
import type { Sandbox } from '../spawn.ts';

const traceId = /trace_id [\w-]{8,}/;

describe.each(accounts)('over an account ($description, $dialect)', (account) => {
  let sandbox: Sandbox;
  const servers = new Map<RoleName, TestServer>();

  beforeAll(async () => {
    sandbox = await sandboxAt(account);
    for (const role of Object.keys(ROLES) as RoleName[])
      servers.set(role, await serverOver('memory', { sandbox, role }));
  });

  function callAs(role: RoleName, tool: string, args: JsonObject = {}): Promise<ToolAnswer> {
    return servers.get(role)?.ask(tool, args) ?? expect.unreachable(`no server for ${role}`);
  }

  describe('a refusal', () => {
    const yesterday = { period: 'yesterday' };
    const centraal = { id: 2, name: 'Utrecht Centraal' };
    const utrecht = [centraal, { id: 3, name: 'Utrecht Oost' }];
    const lacks = 'The role Guest lacks the capability';
    const lacking = (...capabilities: string[]) =>
      `This key lacks ${capabilities.join(', ')}. get_me shows what it holds;`;
    const noOrder = 'An order_number is not an order id: give it as order_number.';
    const nameLocation =
      "This key sees 2 of the company's locations: it gets no figures of the whole company. Name one location: location_id may be Utrecht Centraal (2), Utrecht Oost (3).\nget_me shows the role";
    const location = { kind: 'location', noun: 'location', idField: 'location_id' } as const;
    const unknown = (id: number, instead: Omit<Alternatives, keyof typeof location>): Message =>
      resolveMessages.unknown_id({ noun: 'location', id, instead: { ...location, ...instead } });
    const bound = { entries: [centraal], count: 1, isBound: true };
    const open = {
      entries: [...utrecht, { id: 5, name: 'Amsterdam Noord' }],
      count: 3,
      isBound: false,
    };
    const shop = (id: number, name: string) => ({
      twin: { id, name, kind: 'shop', related: [centraal] } as const,
      comparison: { ...yesterday, against: 'none', shop_id: `${id}` },
    });

    test.each<
      [RoleName, tool: string, args: JsonObject, status: number, ...says: (Message | string)[]]
    >([
      // docs/platform.md#errors, 400: the detail names the parameter.
      [
        'owner',
        'list_orders',
        { ...yesterday, status: 'lost' },
        400,
        'status: "lost" ',
        'Correct the argument that the detail names',
        'Known values of status: new, complete, shipped; there may be more.',
      ],
      ['owner', 'list_order_changes', { cursor: 'made-up' }, 400, ' 400: cursor: '],
      // docs/platform.md#capabilities and docs/platform.md#stock-by-location: which capability is missing.
      ['powerless', 'list_locations', {}, 403, `${lacks} location.list`],
      ['powerless', 'get_location', { location_id: 2 }, 403, `${lacks} location.view`],
      [
        'clerk',
        'search_products',
        { location_id: 2 },
        403,
        lacking('inventory.view_local', 'inventory.view_other_locations'),
      ],
      [
        'manager',
        'search_products',
        { location_id: 5 },
        403,
        lacking('inventory.view_other_locations'),
        unknown(5, bound),
      ],
      [
        'manager',
        'get_product',
        { shop_product_id: 1001, location_id: 5 },
        403,
        lacking('inventory.view_other_locations'),
        unknown(5, bound),
      ],
      // docs/platform.md#report-scope: a scope of several locations, an open set, none at all.
      ['regional', 'get_daily_close', { date: 'yesterday' }, 403, nameLocation],
      ['auditor', 'get_financial_report', yesterday, 403, nameLocation],
      [
        'unbound',
        'get_payment_report',
        yesterday,
        403,
        'The binding of the role Trainee covers no location.',
        '\nThis role sees no location; an administrator assigns one to it.\nget_me shows the role and the locations it is bound to.',
      ],
      [
        'manager',
        'get_financial_report',
        { ...yesterday, location_id: 3 },
        404,
        unknown(3, { ...bound, ...shop(3, 'Utrecht Centraal') }),
      ],
      // docs/platform.md#locations-out-of-scope and docs/platform.md#order-lines: missing and out of scope are told alike.
      ['owner', 'get_order', { order_id: 99_999_999 }, 404, noOrder],
      ['owner', 'get_customer', { customer_id: 9_999_999 }, 404, 'search_customers finds it.'],
      [
        'owner',
        'get_product',
        { shop_product_id: 99_999 },
        404,
        'get_product takes the shop_product_id',
      ],
      // docs/platform.md#ids: shop ids and location ids are different id spaces.
      [
        'owner',
        'get_financial_report',
        { ...yesterday, location_id: 4 },
        404,
        unknown(4, { ...open, ...shop(4, 'Café Perron') }),
      ],
    ])('of the %s calling %s says what to do next', async (role, tool, args, status, ...says) => {
      const answer = await callAs(role, tool, args);
      const failure = { status, trace_id: expect.stringMatching(/^[\w-]{8,}$/) };
      expect(answer).toMatchObject({ isError: true, body: {}, links: [], failure });
      const isFirst =
        role === 'powerless'
          ? 'This key has no capability, so it may see nothing here'
          : 'GET /api/';
      expect(answer.text).toMatch(new RegExp(`^${tool}: ${isFirst}`));
      expect(answer.text).toMatch(traceId);
      for (const it of says) expect(answer.text).toContain(typeof it === 'string' ? it : it.text);
    });

    test('a refusal of an order out of scope says so', async () => {
      const { world } = sandbox;
      const [order] = world.orders(world.unbalancedDay.date, undefined, { shopIds: [1, 7, 8] });
      const { text } = await callAs('manager', 'list_order_items', { order_id: order?.id });
      expect(text).toMatch(/^list_order_items: GET \/api\/.*answered 404/);
      expect(text).toContain(noOrder);
    });

    test('refusals of a missing location and of one out of scope differ in trace and id only', async () => {
      const [absent, hidden] = await Promise.all(
        [99, 5].map((location_id) => callAs('manager', 'get_location', { location_id })),
      );
      const anonymous = (text = '') => text.replace(traceId, '').replace(/has id \d+/, '');
      expect(absent?.text).toContain(unknown(99, bound).text);
      expect(anonymous(hidden?.text)).toBe(anonymous(absent?.text));
    });

    test('a refusal of an empty list says when the number is known in the other id space', async () => {
      const answer = await callAs('owner', 'list_orders', { ...yesterday, shop_id: 5 });
      expect(answer.rows).toEqual([]);
      const twin = { id: 5, name: 'Amsterdam Noord', kind: 'location' };
      expect(answer.warnings).toMatchObject([
        {
          code: 'unknown_id',
          noun: 'shop',
          id: 5,
          instead: { twin: { ...twin, related: [{ id: 2 }] } },
        },
      ]);
      expect(answer.text).toContain(`# Warning: ${answer.warnings[0]?.text}`);
    });

    test('a refusal of a product by its inner id names both products', async () => {
      await callAs('owner', 'search_products', { limit: 200 });
      const { world } = sandbox;
      const swapped = world.products.find(({ id, shopProductId }) => id !== shopProductId);
      const answer = await callAs('owner', 'get_product', { shop_product_id: swapped?.id });
      const warning = answer.warnings.find((it) => 'other' in it);
      expect(warning).toMatchObject({
        code: 'product_ids',
        product: { shopProductId: swapped?.id },
        other: { id: swapped?.id, shopProductId: swapped?.shopProductId },
      });
      expect(answer.text).toContain(`# Warning: ${warning?.text}`);
    });
  });
});
