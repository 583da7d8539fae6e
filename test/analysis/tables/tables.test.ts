import { describe, expect, test } from 'vitest';
import type { Survey } from '../../../src/analysis/services.ts';
import { emptyFindings } from '../../../src/analysis/shape/shape.ts';
import { tablesOf } from '../../../src/analysis/tables/tables.ts';
import type { FieldTypes } from '../../../src/core/column-type.ts';
import { Catalogue } from '../../../src/mcp/tools/catalogue.ts';

/** Objects within objects, each of so many fields. */
const nested = (...counts: number[]): Record<string, unknown> => {
  const [count = 0, ...inner] = counts;
  const value = () => (inner.length > 0 ? nested(...inner) : 'text');
  const name = (at: number) => `${'n'.repeat(190)}${at}`;
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), value()]));
};

/** A survey that knows the same of every tool, after a look at so many rows. */
const surveyOf = (columns: FieldTypes, rowCount: number, trouble?: { failed: string }): Survey => ({
  columnsOf: () => ({
    ...emptyFindings,
    columns,
    documented: {},
    isOpen: true,
    isUnseen: false,
    rowCount,
    ...trouble,
  }),
  look: async () => {},
  behaviour: async () => ({ text: '' }),
  known: () => undefined,
});

/** What is said of the columns of `list_orders`. */
const columnsOf = (survey: Survey) =>
  tablesOf(new Catalogue().list(), survey).get('list_orders')?.describe({ isAlone: true })
    .columns ?? '';

describe('what is said of a table', () => {
  test.each([
    [0, 'bucket'],
    [1, 'bucket (no value seen)'],
    [19, 'bucket (no value seen)'],
    [20, 'bucket (empty)'],
  ])('calls a column empty after twenty rows, not after %d', (rowCount, said) => {
    const [first] = columnsOf(surveyOf({ bucket: 'open' }, rowCount)).split(', ');
    expect(first).toBe(said);
  });

  test('says that its rows could not be read, and how columns are had all the same', () => {
    const said = columnsOf(surveyOf({}, 0, { failed: 'it cannot be read' }));
    expect(said).toMatch(
      /, and others: SELECT .* LIMIT 3 shows them \(its rows could not be read\)$/,
    );
    expect(said).toContain('order_number (for people, never an id),');
  });

  test('stays short, however many columns a look found and whatever they are called', () => {
    const columns = JSON.parse(JSON.stringify(nested(50, 40)));
    const said = columnsOf(surveyOf(columns, 20));
    expect(said).toMatch(/ and \d+ more/);
    expect(said.length).toBeLessThan(30_000);
  });
});
