import { describe, expect, test } from 'vitest';
import { endpoints } from '../../src/endpoints/index.ts';
import { openapi, query } from '../endpoints/openapi-document.ts';
import type { SandboxOptions } from '../sandbox/start-sandbox.ts';
import { withFaultyServer } from './faulty-server.ts';

/** These parameters of every documented path, in an otherwise sound document. */
const withParameters = (...parameters: unknown[]) => ({
  openapi: () => openapi(Object.fromEntries(endpoints.map(({ path }) => [path, parameters]))),
});

const described = (name: string, description: string) => query(name, undefined, { description });

describe('openapi.json that is absurd', () => {
  test.each<[what: string, options: SandboxOptions]>([
    ['parameters that are anything', withParameters(null, 7, [], 'x', { name: 3, in: 'query' })],
    ['parameters of JavaScript itself', withParameters(described('__proto__', ''))],
    ['schemas that refer to themselves', withParameters({ $ref: '#/paths/~1api~1stock' })],
    [
      'a megabyte of control characters',
      withParameters(described('p', 'a\u0000\u202eb\u001b[31m'.repeat(2 ** 17))),
    ],
    ['a depth of 20,000', { faults: 'body=deep:path=/openapi.json' }],
    ['100 MB', { faults: 'huge:path=/openapi.json' }],
  ])('(%s) takes no tool away, and costs no answer', (_, options) =>
    withFaultyServer(options, async ({ listTools, ask }) => {
      const listed = await listTools();
      const names = listed.tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(endpoints.map(({ tool }) => tool)));
      // What a model is shown stays bounded, whatever the platform writes about itself.
      expect(JSON.stringify(listed).length).toBeLessThan(60_000);
      expect(JSON.stringify(listed)).not.toMatch(/\\u0000|\u202e|\\u001b/);
      expect(await ask('list_stock')).toMatchObject({ isError: false });
      const orders = await ask('list_orders', { period: 'yesterday' });
      expect(orders).toMatchObject({ isError: false });
    }),
  );
});
