import { describe, expect, test } from 'vitest';
import { endpoints } from '../../src/endpoints/index.ts';
import { openFaultyServer } from './faulty-server.ts';

/** A parameter list for every documented path, in an otherwise sound document. */
const withParameters = (parameters: unknown) => ({
  openapi: '3.0.3',
  paths: Object.fromEntries(endpoints.map(({ path }) => [path, { get: { parameters } }])),
});

const query = (name: string, more: object = {}) => ({
  name,
  in: 'query',
  schema: { type: 'string' },
  ...more,
});

describe('openapi.json that is absurd', () => {
  test.each<[what: string, document: unknown]>([
    ['paths without methods', { paths: { '/api/stock': [], '/api/shop': 7, '/api/order': null } }],
    ['parameters that are anything', withParameters([null, 7, [], 'x', { name: 3, in: 'query' }])],
    ['parameters of JavaScript itself', withParameters([query('__proto__')])],
    ['schemas that refer to themselves', withParameters([{ $ref: '#/paths/~1api~1stock' }])],
    [
      'a megabyte of control characters',
      withParameters([query('p', { description: 'a\u0000\u202eb\u001b[31m'.repeat(2 ** 17) })]),
    ],
  ])('(%s) takes no tool away, and costs no answer', async (_, document) => {
    const server = await openFaultyServer({ openapi: () => document });
    const listed = await server.connection.listTools();
    const names = listed.tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(endpoints.map(({ tool }) => tool)));
    // What a model is shown stays bounded, whatever the platform writes about itself.
    expect(JSON.stringify(listed).length).toBeLessThan(60_000);
    expect(JSON.stringify(listed)).not.toMatch(/\\u0000|\u202e|\\u001b/);
    expect(await server.ask('list_stock')).toMatchObject({ isError: false });
    expect(await server.ask('list_orders', { period: 'yesterday' })).toMatchObject({
      isError: false,
    });
    expect(server.slips()).toEqual([]);
    await server.close();
  });

  test.each(['body=deep', 'huge'])('(%s) costs no answer either', async (fault) => {
    const server = await openFaultyServer({ faults: `${fault}:path=/openapi.json` });
    expect((await server.connection.listTools()).tools.length).toBeGreaterThan(24);
    expect(await server.ask('list_stock')).toMatchObject({ isError: false });
    expect(server.slips()).toEqual([]);
    await server.close();
  });
});
