import { describe, expect, test } from 'vitest';
import { fenceOf } from '../../../src/analysis/fence.ts';
import { toolsets } from '../../../src/endpoints/define.ts';
import { documentedCatalogue } from '../../../src/mcp/tools/catalogue.ts';
import { fenceCatalogue } from '../../../src/mcp/tools/fenced-catalogue.ts';

describe('fenceCatalogue', () => {
  test('shows the tools of the toolsets, and finds no other', () => {
    const limited = fenceCatalogue(
      documentedCatalogue(toolsets),
      fenceOf(['customers', 'analysis']),
    );
    const shown = limited.list().map(({ toolset }) => toolset);
    expect(new Set(shown)).toEqual(new Set(['customers', 'analysis']));
    expect(limited.find('search_customers')).toBeDefined();
    expect(limited.find('list_orders')).toBeUndefined();
    expect(limited.find('no_such_tool')).toBeUndefined();
  });

  test('shows nothing to who may use nothing', () => {
    expect(fenceCatalogue(documentedCatalogue(toolsets), fenceOf([])).list()).toEqual([]);
  });

  test('gives the same list while nothing changes, so that listings are made once', () => {
    const limited = fenceCatalogue(documentedCatalogue(toolsets), fenceOf(['catalog']));
    expect(limited.list()).toBe(limited.list());
  });

  test('follows the changes of the whole', () => {
    const catalogue = documentedCatalogue(toolsets);
    const limited = fenceCatalogue(catalogue, fenceOf(['catalog']));
    const before = limited.find('list_stock');
    catalogue.learnPaging('list_stock', 500);
    expect(limited.find('list_stock')).not.toBe(before);
    expect(limited.list()).toContain(limited.find('list_stock'));
  });
});
