import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { findDrift } from '../../../../src/cli/commands/doctor/drift.ts';
import { endpoints } from '../../../../src/endpoints/index.ts';
import { startSandbox } from '../../../../src/sandbox/sandbox.ts';

interface Parameter {
  name: string;
  required?: boolean;
  schema?: Record<string, unknown>;
}

interface Description {
  info: { version: string };
  paths: Record<string, { get: { parameters: Parameter[] } }>;
}

let described: string;

beforeAll(async () => {
  const sandbox = await startSandbox();
  described = await (await fetch(`${sandbox.baseUrl}/openapi.json`)).text();
  await sandbox.close();
});

/** openapi.json of the sandbox, after `change` has been at it. */
function changed(change: (description: Description) => void): unknown {
  const description: Description = JSON.parse(described);
  change(description);
  return description;
}

function parametersOf(description: Description, path: string): Parameter[] {
  return description.paths[path]?.get.parameters ?? expect.unreachable(`no path ${path}`);
}

function schemaOf(description: Description, path: string, name: string): Record<string, unknown> {
  const found = parametersOf(description, path).find((parameter) => parameter.name === name);
  return found?.schema ?? expect.unreachable(`no parameter ${name}`);
}

function drop(description: Description, path: string, name: string): void {
  const parameters = parametersOf(description, path);
  parameters.splice(
    parameters.findIndex((parameter) => parameter.name === name),
    1,
  );
}

describe('findDrift', () => {
  test('finds nothing where the platform is as its document says (docs/platform.md#description)', () => {
    expect(
      findDrift(
        endpoints,
        changed(() => {}),
      ),
    ).toEqual([]);
  });

  test.each<[string, (description: Description) => void, string, boolean, RegExp]>([
    [
      'a path that went',
      ({ paths }) => delete paths['/api/order/{id}/item'],
      'GET /api/order/{id}/item',
      true,
      /not listed any more: list_order_items will be answered 404/,
    ],
    [
      'a path that came',
      ({ paths }) => Object.assign(paths, { '/api/till/{tillId}': { get: { parameters: [] } } }),
      'GET /api/till/{id}',
      false,
      /new: no tool reads it/,
    ],
    [
      'a filter that went',
      (it) => drop(it, '/api/order', 'is_paid'),
      'GET /api/order',
      false,
      /list_orders with is_paid may be refused, or answer as if/,
    ],
    [
      'a page offset that went',
      (it) => drop(it, '/api/customer', 'start'),
      'GET /api/customer',
      true,
      /search_customers cannot do without it/,
    ],
    [
      'a day that went',
      (it) => drop(it, '/api/report/daily-close', 'date'),
      'GET /api/report/daily-close',
      true,
      /does not list date any more/,
    ],
    [
      'a parameter that came',
      (it) => parametersOf(it, '/api/order').push({ name: 'till', ...{ in: 'query' } }),
      'GET /api/order',
      false,
      /new parameter till: list_orders takes it from openapi.json by itself/,
    ],
    [
      'a parameter that became required',
      (it) => {
        const shop = parametersOf(it, '/api/order').find(({ name }) => name === 'shop_id');
        if (shop) shop.required = true;
      },
      'GET /api/order',
      true,
      /requires shop_id now: list_orders without it/,
    ],
    [
      'a page that shrank',
      (it) => Object.assign(schemaOf(it, '/api/order', 'limit'), { maximum: 200 }),
      'GET /api/order',
      true,
      /has 200 as the largest limit now, not 500/,
    ],
    [
      'another version of the interface',
      ({ info }) => Object.assign(info, { version: '2.0.0' }),
      'openapi.json',
      false,
      /version 2\.0\.0, this server was written for 1\.0\.0/,
    ],
  ])('tells %s', (_, change, endpoint, breaks, text) => {
    expect(findDrift(endpoints, changed(change))).toEqual([
      { endpoint, breaks, text: expect.stringMatching(text) },
    ]);
  });

  test('says nothing of parameters that the API document leaves open', () => {
    const openapi = changed((it) =>
      parametersOf(it, '/api/stock').push({ name: 'shelf', ...{ in: 'query' } }),
    );
    expect(findDrift(endpoints, openapi)).toEqual([]);
  });

  test('puts first what breaks a tool', () => {
    const openapi = changed((it) => {
      drop(it, '/api/order', 'is_paid');
      delete it.paths['/api/stock'];
    });
    expect(findDrift(endpoints, openapi).map(({ breaks }) => breaks)).toEqual([true, false]);
  });

  test.each([
    [undefined],
    [null],
    ['<html>'],
    [{}],
    [{ paths: [] }],
    [{ paths: { '/api/me': 3 } }],
  ])('has one thing to say of %j, which describes nothing', (openapi) => {
    expect(findDrift(endpoints, openapi)).toEqual([
      { endpoint: 'openapi.json', breaks: false, text: expect.stringContaining('no endpoints') },
    ]);
  });

  test('reads whatever a server calls its description', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (paths) => {
        const found = findDrift(endpoints, { paths });
        expect(found.every(({ text }) => text !== '')).toBe(true);
      }),
    );
  });
});
