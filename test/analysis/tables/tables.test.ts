import { describe, expect, test } from 'vitest';
import type { Survey } from '../../../src/analysis/services.ts';
import { tablesOf } from '../../../src/analysis/tables/tables.ts';
import { Catalogue } from '../../../src/mcp/tools/catalogue.ts';

/** Objects within objects, each of so many fields. */
const nested = (...counts: number[]): Record<string, unknown> => {
  const [count = 0, ...inner] = counts;
  const value = () => (inner.length > 0 ? nested(...inner) : 'text');
  const name = (at: number) => `${'n'.repeat(190)}${at}`;
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), value()]));
};

describe('what is said of a table', () => {
  test('stays short, however many columns a look found and whatever they are called', () => {
    const columns = JSON.parse(JSON.stringify(nested(50, 40)));
    const survey: Survey = {
      columnsOf: () => ({ columns, isOpen: false, seen: {}, measures: [], looked: 20 }),
      look: async () => {},
      behaviour: async () => ({ sentence: '' }),
      known: () => undefined,
    };
    const tables = tablesOf(new Catalogue().list(), survey);
    const said = tables.get('list_orders')?.describe().columns ?? '';
    expect(said).toMatch(/ and \d+ more/);
    expect(said.length).toBeLessThan(30_000);
  });
});
