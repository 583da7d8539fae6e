import { describe, expect, test } from 'vitest';
import { endpointTool } from '../../../src/analysis/define-tool.ts';
import { analysisTools } from '../../../src/analysis/tools.ts';
import { toolsets } from '../../../src/endpoints/define.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import { limitCatalogue } from '../../../src/mcp/app/scoped-app.ts';
import { createCatalogue } from '../../../src/mcp/tools/catalogue.ts';

function whole() {
  return createCatalogue({
    endpoints,
    questions: analysisTools,
    toolsets,
    asQuestion: endpointTool,
  });
}

describe('limitCatalogue', () => {
  test('shows the tools of the toolsets, and finds no other', () => {
    const limited = limitCatalogue(whole(), ['customers', 'analysis']);
    const shown = limited.list().map(({ toolset }) => toolset);
    expect(new Set(shown)).toEqual(new Set(['customers', 'analysis']));
    expect(limited.find('search_customers')).toBeDefined();
    expect(limited.find('list_orders')).toBeUndefined();
    expect(limited.find('no_such_tool')).toBeUndefined();
  });

  test('shows nothing to who may use nothing', () => {
    expect(limitCatalogue(whole(), []).list()).toEqual([]);
  });

  test('gives the same list while nothing changes, so that listings are made once', () => {
    const limited = limitCatalogue(whole(), ['catalog']);
    expect(limited.list()).toBe(limited.list());
  });

  test('follows the changes of the whole', () => {
    const catalogue = whole();
    const limited = limitCatalogue(catalogue, ['catalog']);
    const before = limited.find('list_stock');
    catalogue.learnPaging('list_stock', 500);
    expect(limited.find('list_stock')).not.toBe(before);
    expect(limited.list()).toContain(limited.find('list_stock'));
  });
});
