import { describe, expect, test } from 'vitest';
import { analysisTools } from '../../../src/analysis/tools.ts';
import { toolsets } from '../../../src/endpoints/define.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import { createCatalogue } from '../../../src/mcp/tools/catalogue.ts';
import { namesLacking, speakTo } from '../../../src/mcp/tools/speak-to.ts';

/** A catalogue without some tools. */
function without(...lacking: string[]) {
  const isThere = ({ tool }: { tool: string }) => !lacking.includes(tool);
  return createCatalogue({
    endpoints: endpoints.filter(isThere),
    ownTools: analysisTools.filter(isThere),
    toolsets,
  });
}

describe('speakTo', () => {
  test.each([
    ['Orders of a period. For sums use query.', 'Orders of a period.'],
    ['Ask query for sums. Orders of a period.', 'Orders of a period.'],
    ['Orders; for sums use query.', 'Orders.'],
    ['One line.\nUse query.\nAnother line.', 'One line.\n\nAnother line.'],
    ['For sums use query.', ''],
    ['The queryable rows of 1.5 lists.', 'The queryable rows of 1.5 lists.'],
    ['Orders of a period.', 'Orders of a period.'],
  ])('leaves out of "%s" what sends to a tool that is lacking', (text, said) => {
    expect(speakTo(without('query'))(text)).toBe(said);
  });

  test('leaves every text alone for whom nothing is lacking', () => {
    const text = 'For sums use query. Names: find_reference.';
    expect(speakTo(without())(text)).toBe(text);
  });

  test('names no tool that is lacking, whichever it is and whatever the description', () => {
    for (const { tool: lacking } of [...endpoints, ...analysisTools]) {
      const catalogue = without(lacking);
      for (const { description } of [...endpoints, ...analysisTools])
        expect(namesLacking(catalogue, speakTo(catalogue)(description))).toBe(false);
    }
  });
});
