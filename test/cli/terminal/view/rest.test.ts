import { describe, expect, test } from 'vitest';
import { sayRest, type Unshown } from '../../../../src/cli/terminal/view/rest.ts';

const whole: Unshown = {
  tool: 'list_orders',
  input: { period: 'last_week' },
  flags: [],
  shown: 50,
  came: 50,
  total: 50,
  isPaged: true,
  isComplete: true,
};

describe('sayRest', () => {
  test.each<[string, Partial<Unshown>, string | undefined]>([
    ['nothing when all is shown', {}, undefined],
    [
      'the next page',
      { total: 458, isComplete: false },
      'Shown: 50 of 458 rows. The next: commerce-mcp call list_orders period=last_week start=50',
    ],
    [
      'the page after a later one, with its flags',
      { total: 1458, isComplete: false, input: { start: '100', limit: 50 }, flags: ['--sandbox'] },
      'Shown: 50 of 1,458 rows. The next: commerce-mcp call list_orders start=150 limit=50 --sandbox',
    ],
    [
      'pages instead of everything again',
      { total: 458, came: 458, input: { period: 'last_week', all: 'true' } },
      'Shown: 50 of 458 rows. The next: commerce-mcp call list_orders period=last_week start=50',
    ],
    [
      'the form that holds every row where a whole list came unpaged',
      { came: 80, total: 80, isPaged: false },
      'Shown: 50 of 80 rows. All of them: add --csv',
    ],
    [
      'the next cursor of a change feed',
      {
        tool: 'list_order_changes',
        isPaged: false,
        isComplete: false,
        next: { tool: 'list_order_changes', arguments: { cursor: "a'b" } },
      },
      "Shown: 50 rows. The next: commerce-mcp call list_order_changes 'cursor=a'\\''b'",
    ],
    [
      'no cursor that would pass by rows which came and were not shown',
      {
        tool: 'list_order_changes',
        isPaged: false,
        isComplete: false,
        came: 100,
        total: 100,
        next: { tool: 'list_order_changes', arguments: { cursor: 'c' } },
      },
      'Shown: 50 of 100 rows. The 100 that came: add --csv',
    ],
    [
      'the same where an answer was cut to what fits a model',
      { isPaged: false, isComplete: false, total: 900 },
      'Shown: 50 of 900 rows. All of them: add --csv',
    ],
    [
      'quotes what a shell would take apart',
      { isComplete: false, total: 60, input: { q: 'koffie & thee', fields: ['id', 'sku'] } },
      `Shown: 50 of 60 rows. The next: commerce-mcp call list_orders 'q=koffie & thee' 'fields=["id","sku"]' start=50`,
    ],
  ])('says %s', (_, changes, text) => {
    expect(sayRest({ ...whole, ...changes })).toBe(text);
  });
});
