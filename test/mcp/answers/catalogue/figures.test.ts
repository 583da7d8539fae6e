import { expect, test } from 'vitest';
import type { Message } from '../../../../src/core/message.ts';
import { modelReader } from '../../../../src/mcp/answers/catalogue/catalogue.ts';

const columns = [
  { name: 'day', type: 'DATE' },
  { name: 'shop', type: 'VARCHAR' },
];
const counts = { name: 'orders', unit: 'count' };

/** What is said of rows and of figures. */
test.each<[Message, string]>([
  [{ code: 'not_drawn', rows: 1, axis: 'day' }, 'Not drawn: 1 row without day.'],
  [
    { code: 'other_unit', columns: ['x', 'y'], unit: 'count', requested: 'euro' },
    'The numbers of x, y are counts, not euros.',
  ],
  [
    { code: 'nothing_to_draw' },
    'There is nothing to draw: no rows. Ask for a wider period, or leave out a condition.',
  ],
  [
    { code: 'no_numbers_to_draw', columns },
    'There is nothing to draw: after the first column, which is the axis, no column holds numbers. The columns are day (DATE), shop (VARCHAR). Select the days or names first and the numbers after them, such as SELECT name, sum(amount).',
  ],
  [
    { code: 'label_twice', axis: 'day', label: '2026-11-02', split: 'shop' },
    'day "2026-11-02" is in more than one row with the same shop, and nothing here adds rows up by itself. Add them up in the statement (GROUP BY), or select a second column that parts them, such as the shop.',
  ],
  [
    { code: 'too_many_series', most: 12, measures: 1, split: { name: 'shop', values: 13 } },
    'A figure tells at most 12 series apart, and here are 13 values of shop and 1 column of numbers. Select fewer of them, or add the small ones up as one.',
  ],
  [
    { code: 'too_many_labels', axis: 'shop', labels: 401, most: 400 },
    'shop has 401 different values, and a figure shows at most 400. Keep the largest ones (ORDER BY ... DESC LIMIT 20), or group days by week or month.',
  ],
  [
    { code: 'shares_or_percentages', column: 'n' },
    'n lies between 0 and 1 in every row. Select 100 times it where these are shares, or give no unit where they are percentages.',
  ],
  [
    { code: 'two_units', first: counts, other: { name: 'n' } },
    'orders holds counts and n numbers of no known unit, which one scale cannot show. Draw each in a figure of its own, or give unit where both are of one.',
  ],
  [
    { code: 'two_units', first: counts, other: { name: 'n', unit: 'euro' } },
    'orders holds counts and n euros, which one scale cannot show. Draw each in a figure of its own.',
  ],
  [
    { code: 'figure_too_large', labels: 390, series: 12 },
    'Not drawn: 390 labels of 12 series are more numbers than one answer holds. Draw fewer series, or group by week or month.',
  ],
  [
    { code: 'statement_or_result', hasBoth: false },
    'takes one of sql and result_id; neither came. sql is a SELECT whose first column is the axis and whose numbers are drawn.',
  ],
  [
    { code: 'no_such_column', argument: 'fields', column: 'total_tw', columns: ['id', 'total_wt'] },
    'fields: there is no column "total_tw"; did you mean total_wt? The columns are id, total_wt.',
  ],
  [
    { code: 'no_such_column', argument: 'sort', column: 'zzzzzzzz', columns: ['id'] },
    'sort: there is no column "zzzzzzzz". The columns are id.',
  ],
  [
    { code: 'inexact_numbers', columns: ['id'], table: 'list_orders' },
    "list_orders: id holds whole numbers beyond 9007199254740991, whose last digits may differ from the platform's.",
  ],
])('a model is told of $code', (message, text) => {
  expect(modelReader(() => true).say(message)).toBe(text);
});
