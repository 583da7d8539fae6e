import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/analysis/define-tool.ts';
import { analysisTools } from '../../../src/analysis/tools.ts';
import { type Toolset, toolsets } from '../../../src/endpoints/define.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import { type Catalogue, createCatalogue } from '../../../src/mcp/tools/catalogue.ts';

const echo = defineTool({
  tool: 'echo',
  title: 'Echo',
  description: 'Answers what it was asked.',
  input: z.strictObject({ text: z.string() }),
  output: z.looseObject({}),
  asksPlatform: false,
  answer: () => Promise.reject(new Error('nobody asks in these tests')),
});

function catalogue(onOffer: readonly Toolset[] = toolsets): Catalogue {
  return createCatalogue({
    endpoints,
    ownTools: [echo],
    toolsets: onOffer,
  });
}

function argumentsOf(tools: Catalogue, name: string): string[] {
  return Object.keys(tools.find(name)?.inputSchema.properties ?? {});
}

const listing = {
  paths: { '/api/stock': { get: { parameters: [{ name: 'kind', in: 'query', schema: {} }] } } },
};

describe('createCatalogue', () => {
  test('offers each endpoint in its order, then our own tools', () => {
    expect(
      catalogue()
        .list()
        .map(({ tool }) => tool),
    ).toEqual([...endpoints.map(({ tool }) => tool), 'echo']);
  });

  test('stays within the forty tools that clients take, each by a name of its own', () => {
    const names = [...endpoints, ...analysisTools].map(({ tool }) => tool);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeLessThanOrEqual(40);
  });

  test('offers the chosen toolsets only', () => {
    const tools = catalogue(['orders', 'analysis']);
    expect(new Set(tools.list().map(({ toolset }) => toolset))).toEqual(
      new Set(['orders', 'analysis']),
    );
    expect(tools.find('get_daily_close')).toBeUndefined();
    expect(tools.find('list_orders')?.tool).toBe('list_orders');
  });

  test('knows no tool by a name of JavaScript', () => {
    expect(catalogue().find('constructor')).toBeUndefined();
    expect(catalogue().find('__proto__')).toBeUndefined();
  });

  test('makes schemas once', () => {
    const tool = catalogue().find('list_orders');
    expect(tool?.inputSchema).toBe(tool?.inputSchema);
    expect(tool?.outputSchema).toBe(tool?.outputSchema);
  });

  test('adds what the platform lists, says so once and keeps the order', () => {
    const tools = catalogue();
    const before = tools.list();
    const listener = vi.fn();
    tools.onChange(listener);
    tools.complete(listing);
    expect(argumentsOf(tools, 'list_stock')).toContain('kind');
    expect(tools.list().map(({ tool }) => tool)).toEqual(before.map(({ tool }) => tool));
    expect(listener).toHaveBeenCalledTimes(1);
    tools.complete(listing);
    expect(listener).toHaveBeenCalledTimes(1);
  });

  test('keeps every tool without news as the same object', () => {
    const tools = catalogue();
    const before = tools.list();
    tools.complete(listing);
    const changed = tools.list().filter((tool, index) => tool !== before[index]);
    expect(changed.map(({ tool }) => tool)).toEqual(['list_stock']);
  });

  test('gives the same list as long as nothing changes', () => {
    const tools = catalogue();
    const before = tools.list();
    tools.complete({ paths: {} });
    tools.learnPaging('list_orders', 10);
    tools.learnPaging('no_such_tool', 10);
    expect(tools.list()).toBe(before);
  });

  test('learns that a list is paged, and keeps that when it completes later', () => {
    const tools = catalogue();
    const listener = vi.fn();
    tools.onChange(listener);
    tools.learnPaging('get_product_sales', 250);
    tools.learnPaging('get_product_sales', 50);
    tools.complete(listing);
    expect(argumentsOf(tools, 'get_product_sales')).toEqual(
      expect.arrayContaining(['start', 'limit', 'all', 'period']),
    );
    expect(tools.find('get_product_sales')?.inputSchema.properties?.limit?.maximum).toBe(250);
    expect(listener).toHaveBeenCalledTimes(2);
  });

  test('calls nobody back who has gone, also one who goes while being called', () => {
    const tools = catalogue();
    const later = vi.fn();
    const stop = tools.onChange(() => stop());
    tools.onChange(later);
    const gone = vi.fn();
    tools.onChange(gone)();
    tools.complete(listing);
    expect(later).toHaveBeenCalledTimes(1);
    expect(gone).not.toHaveBeenCalled();
  });
});
