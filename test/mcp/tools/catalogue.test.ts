import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/analysis/define-tool.ts';
import { analysisTools } from '../../../src/analysis/tools.ts';
import { completeEndpoints } from '../../../src/endpoints/complete-endpoints.ts';
import { type Toolset, toolsets } from '../../../src/endpoints/define.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import { Catalogue } from '../../../src/mcp/tools/catalogue.ts';

const echo = defineTool({
  tool: 'echo',
  title: 'Echo',
  description: [
    'Answers what it was asked.',
    { needs: 'list_orders', text: 'For orders use list_orders.' },
  ],
  input: z.strictObject({ text: z.string() }),
  output: z.looseObject({}),
  asksPlatform: false,
  answer: () => Promise.reject(new Error('no test calls it')),
});

function catalogue(onOffer: readonly Toolset[] = toolsets, openapi?: unknown): Catalogue {
  return new Catalogue({
    endpoints: completeEndpoints(endpoints, openapi),
    ownTools: [echo],
    toolsets: onOffer,
  });
}

function argumentsOf(tools: Catalogue, name: string): string[] {
  return Object.keys(tools.find(name)?.inputSchema.properties ?? {});
}

const _listing = {
  paths: { '/api/stock': { get: { parameters: [{ name: 'kind', in: 'query', schema: {} }] } } },
};

describe('Catalogue', () => {
  test('stays within the forty tools that clients take, each by a name of its own', () => {
    const names = [...endpoints, ...analysisTools].map(({ tool }) => tool);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeLessThanOrEqual(40);
  });

  test('says what needs another tool only where that is offered', () => {
    expect(catalogue().find('echo')?.description).toBe(
      'Answers what it was asked. For orders use list_orders.',
    );
    expect(catalogue(['analysis']).find('echo')?.description).toBe('Answers what it was asked.');
  });

  test('takes away arguments that name customers where those are not open', () => {
    expect(argumentsOf(catalogue(['orders']), 'list_orders')).not.toContain('segment_id');
    expect(argumentsOf(catalogue(['orders', 'customers']), 'list_orders')).toContain('segment_id');
    // The names of shops and groups are understood for every caller.
    expect(argumentsOf(catalogue(['orders']), 'list_orders')).toContain('shop_id');
  });

  test('knows no tool by a name of JavaScript', () => {
    expect(catalogue().find('constructor')).toBeUndefined();
    expect(catalogue().find('__proto__')).toBeUndefined();
  });

  test('gives all four hints with every tool', () => {
    for (const { annotations } of catalogue().listing())
      expect(annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: expect.any(Boolean),
      });
  });
});
