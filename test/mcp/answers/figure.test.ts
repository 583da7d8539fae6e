import { expect, test } from 'vitest';
import { showFigure } from '../../../src/analysis/show-figure.ts';
import { presentAnswer } from '../../../src/mcp/answers/present.ts';
import { fakeServices } from '../../analysis/fake-services.ts';
import { drawn } from '../../analysis/figure/requests.ts';

test('a figure is a sentence, what must not be missed, then its table with the cents of euros', async () => {
  const columns = { day: 'VARCHAR', turnover: 'DOUBLE' };
  const rows = [
    ['a|b\n\u202ec', '1'],
    ['x', '1234.5'],
    ['y', null],
  ];
  const notes = {
    source: 'sandbox',
    complete: false,
    warnings: [{ code: 'day_not_over', text: 'today is not over.' }],
  } as const;
  const figure = drawn(columns, rows, { unit: 'euro', isOrdered: true, notes });
  const context = { endpoint: 'show_figure', source: 'sandbox', as_of: '' } as const;
  const { content } = await presentAnswer(
    { tool: showFigure, services: fakeServices().services },
    { payload: {}, figure, context, toolCall: { tool: 'show_figure', arguments: {} } },
  );
  const [block] = content;
  const text = block?.type === 'text' ? block.text : '';
  expect(text.split('\n').slice(1)).toEqual([
    'turnover by day: highest €1,234.50 (x), lowest €1.00 (a|b\\n\\u202ec).',
    '# Invented data (sandbox). Not complete.',
    '',
    'day|turnover',
    'a\\|b\\n\\u202ec|1.00',
    'x|1234.50',
    'y|',
    '# Warning: today is not over.',
  ]);
});
