/** Figures to draw. */
import type { Figure } from '../../../src/analysis/figure/figure.ts';
import { drawn, notes } from '../../analysis/figure/requests.ts';

const amount = 'DECIMAL(18,2)';

/** Seven shops, a week against another, of invented data that is not all there. */
export const shops = drawn(
  { shop_id: 'BIGINT', current: amount, reference: amount },
  [
    [1, 14354.85, 10731.57],
    [2, 13687.82, 9000],
    [3, 13274.04, 8524.07],
    [4, 12980.58, null],
    [5, 9948.14, 12746.97],
    [6, 7430.94, 8197.53],
    [7, -812.34, 120.5],
  ],
  {
    title: 'Last week against the week before',
    labels: {
      shop_id: {
        1: 'Groningen',
        2: 'Amsterdam Centrum',
        3: 'Webshop',
        4: 'Den Haag',
        5: 'Haarlem',
        6: 'Utrecht Oost',
        7: 'Rotterdam',
      },
    },
    unit: 'euro',
    notes: {
      source: 'sandbox',
      complete: false,
      warnings: [{ code: 'day_not_over', text: 'today is not over' }],
      asOf: '2026-11-20T09:00:00+01:00',
      period: { from: '2026-11-09', to: '2026-11-15' },
    },
  },
);

/** Ninety days of two years, five of which are empty and three of which are missing. */
export const days = drawn(
  { bucket: 'DATE', 'this year': amount, 'last year': amount },
  Array.from({ length: 90 }, (_, index) => [
    new Date(Date.UTC(2026, 7, 22 + index)).toISOString().slice(0, 10),
    9000 + ((index * 7919) % 6000) + 0.25,
    index >= 40 && index < 45 ? null : 7000 + ((index * 6101) % 5000),
  ]).filter((_, index) => index < 60 || index >= 63),
  { title: 'Ninety days', unit: 'euro', notes },
);

/** Twenty days within a band, two of them outside it; of one day nothing is usual. */
export const usual = drawn(
  { bucket: 'DATE', turnover: amount, low: amount, high: amount },
  Array.from({ length: 20 }, (_, index) => [
    `2026-11-${String(index + 1).padStart(2, '0')}`,
    index === 4 ? 3500.5 : index === 12 ? 6200 : 5000 + index,
    index === 8 ? null : 4000,
    index === 8 ? null : 6000,
  ]),
  { title: 'Against what is usual', unit: 'euro', notes },
);

/** Names and a title that would be markup if they were not text. */
export const markup = drawn(
  { '<b>shop</b>': 'VARCHAR', sold: 'BIGINT' },
  [
    ['<i>Bar</i> & "Zaal"', 3],
    ['=SUM(A1)', 2],
  ],
  {
    title: '<img src=x onerror="document.title=1"> & </script><script>document.title=2</script>',
    notes,
  },
);

/** The result of a call as a host hands it to the view. */
export function resultOf(figure: Figure) {
  return {
    content: [{ type: 'text' as const, text: 'The same in words' }],
    structuredContent: { figure },
  };
}
