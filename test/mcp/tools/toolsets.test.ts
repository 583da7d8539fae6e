import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Toolset, toolsets } from '../../../src/endpoints/define.ts';
import { resourceDefinitions } from '../../../src/mcp/resources/definitions.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { toolsOf } from '../../samples.ts';
import { connectInMemory, startFixedSandbox } from '../in-memory-server.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startFixedSandbox();
});

afterAll(() => sandbox.close());

function open(chosen: string) {
  return connectInMemory(sandbox, { settings: { COMMERCE_TOOLSETS: chosen } });
}

describe('toolsets', () => {
  test.each(toolsets)('%s alone offers its own tools', async (toolset) => {
    const connection = await open(toolset);
    const { tools } = await connection.listTools();
    // What looks in the reference lists is nothing without any of them.
    const own = toolsOf(toolset).filter((tool) => tool !== 'find_reference');
    expect(tools.map(({ name }) => name).sort()).toEqual(own.sort());
    await connection.close();
  });

  test('that are switched off hide their tools and resources', async () => {
    const connection = await open('orders, catalog');
    await expect(connection.call('get_daily_close', { date: 'yesterday' })).rejects.toThrow(
      'There is no tool "get_daily_close"',
    );
    expect((await connection.listResources()).resources).toEqual([]);
    await expect(connection.read('commerce://shops')).rejects.toThrow('commerce://shops');
    const offered: (Toolset | undefined)[] = ['orders', 'catalog', undefined];
    const { resourceTemplates } = await connection.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(
      resourceDefinitions.filter(({ toolset }) => offered.includes(toolset)).map(({ uri }) => uri),
    );
    await connection.close();
  });

  test('leave names working: the lists behind them are read all the same', async () => {
    const connection = await open('orders');
    const answer = await connection.call('list_orders', { period: 'last_week', shop_id: 'perron' });
    expect(answer.context.resolved).toEqual({
      shop_id: { given: 'perron', id: 4, name: 'Café Perron' },
    });
    expect(answer.context.labels).toMatchObject({ shop_id: { 4: 'Café Perron' } });
    await connection.close();
  });
});
