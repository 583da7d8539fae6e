import { describe, expect, test } from 'vitest';
import { toolsets } from '../../../src/endpoints/define.ts';
import { limitCatalogue } from '../../../src/mcp/app/scoped-app.ts';
import { documentedCatalogue } from '../../../src/mcp/tools/catalogue.ts';

describe('limitCatalogue', () => {
  test('shows the tools of the toolsets, and finds no other', () => {
    const limited = limitCatalogue(documentedCatalogue(toolsets), ['customers', 'analysis']);
    const shown = limited.list().map(({ toolset }) => toolset);
    expect(new Set(shown)).toEqual(new Set(['customers', 'analysis']));
    expect(limited.find('search_customers')).toBeDefined();
    expect(limited.find('list_orders')).toBeUndefined();
    expect(limited.find('no_such_tool')).toBeUndefined();
  });

  test('shows nothing to who may use nothing', () => {
    expect(limitCatalogue(documentedCatalogue(toolsets), []).list()).toEqual([]);
  });

  test('gives the same list while nothing changes, so that listings are made once', () => {
    const limited = limitCatalogue(documentedCatalogue(toolsets), ['catalog']);
    expect(limited.list()).toBe(limited.list());
  });

  test('follows the changes of the whole', () => {
    const catalogue = documentedCatalogue(toolsets);
    const limited = limitCatalogue(catalogue, ['catalog']);
    const before = limited.find('list_stock');
    catalogue.learnPaging('list_stock', 500);
    expect(limited.find('list_stock')).not.toBe(before);
    expect(limited.list()).toContain(limited.find('list_stock'));
  });
});
