import { beforeAll, describe, expect, test } from 'vitest';
import { analysisTools } from '../../../src/analysis/tools.ts';
import { type Toolset, toolsets } from '../../../src/endpoints/define.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import { resourceDefinitions } from '../../../src/mcp/resources/definitions.ts';
import { Catalogue } from '../../../src/mcp/tools/catalogue.ts';
import { toolsOf } from '../../samples.ts';
import { sandboxAt, serverOver } from '../../server-over.ts';
import type { Sandbox } from '../../spawn.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await sandboxAt();
});

function open(chosen: string) {
  return serverOver('memory', { sandbox, settings: { COMMERCE_TOOLSETS: chosen } });
}

describe('toolsets', () => {
  test.each(toolsets)('%s alone offers its own tools', async (toolset) => {
    const connection = await open(toolset);
    const { tools } = await connection.listTools();
    // find_reference needs a reference list.
    const own = toolsOf(toolset).filter((tool) => tool !== 'find_reference');
    const hint = `of ${tools.map(({ name }) => name).join(', ')}: each has its toolset and needs in test/samples.ts`;
    expect(tools.map(({ name }) => name).sort(), hint).toEqual(own.sort());
  });

  test('toolsets that are switched off hide their tools and resources', async () => {
    const connection = await open('orders, catalog');
    await expect(connection.call('get_daily_close', { date: 'yesterday' })).rejects.toMatchObject({
      data: { code: 'unknown_tool' },
    });
    expect((await connection.listResources()).resources).toEqual([]);
    await expect(connection.read('commerce://shops')).rejects.toThrow('commerce://shops');
    const offered: (Toolset | undefined)[] = ['orders', 'catalog', undefined];
    const { resourceTemplates } = await connection.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(
      resourceDefinitions.filter(({ toolset }) => offered.includes(toolset)).map(({ uri }) => uri),
    );
  });

  test('leave names working: the lists behind them are read all the same', async () => {
    const connection = await open('orders');
    const answer = await connection.call('list_orders', { period: 'last_week', shop_id: 'perron' });
    expect(answer.context.resolved).toEqual({
      shop_id: { given: 'perron', id: 4, name: 'Café Perron' },
    });
    expect(answer.context.labels).toMatchObject({ shop_id: { 4: 'Café Perron' } });
  });
});

function catalogue(onOffer: readonly Toolset[] = toolsets): Catalogue {
  return new Catalogue(onOffer);
}

function argumentsOf(tools: Catalogue, name: string): string[] {
  return Object.keys(tools.find(name)?.input.shape ?? {});
}

describe('Catalogue', () => {
  test('stays within the forty tools that clients take, each by a name of its own', () => {
    const names = [...endpoints, ...analysisTools].map(({ tool }) => tool);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeLessThanOrEqual(40);
  });

  test('says what needs another tool only where that is offered', () => {
    const said = (...open: Toolset[]) => catalogue(open).find('turnover_trend')?.description;
    expect(said('analysis', 'reports')).toContain('get_financial_report');
    expect(said('analysis')).not.toContain('get_financial_report');
  });

  test('takes away arguments that name customers where those are not open', () => {
    expect(argumentsOf(catalogue(['orders']), 'list_orders')).not.toContain('segment_id');
    expect(argumentsOf(catalogue(['orders', 'customers']), 'list_orders')).toContain('segment_id');
    // The names of shops and groups are understood for every caller.
    expect(argumentsOf(catalogue(['orders']), 'list_orders')).toContain('shop_id');
  });

  test('says of every tool that it destroys nothing, and of all but export_rows that they read only', () => {
    for (const { name, annotations } of catalogue().listing())
      expect(annotations).toEqual({
        ...(name === 'export_rows'
          ? { readOnlyHint: false, idempotentHint: false }
          : { readOnlyHint: true }),
        destructiveHint: false,
        openWorldHint: expect.any(Boolean),
      });
  });
});
