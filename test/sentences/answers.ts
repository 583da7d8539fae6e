import { exportMessages } from '../../src/analysis/export-rows.ts';
import { figureMessages, figureRefusals } from '../../src/analysis/figure/messages.ts';
import { resultMessages } from '../../src/analysis/results/store.ts';
import { rowMessages } from '../../src/analysis/rows/rows.ts';
import { warningMessages } from '../../src/mcp/answers/context.ts';
import { folderMessages } from '../../src/mcp/files/folder.ts';
import { offerMessages } from '../../src/mcp/files/offer-file.ts';
import { workbookMessages } from '../../src/mcp/files/workbook.ts';
import { sentencesOf } from './sentences-of.ts';

const kept = { address: 'r_0000000000', minutes: 30, results: 500, megabytes: 128 };
const counts = { name: 'orders', unit: 'count' };

export const answerSentences = [
  ...sentencesOf('rows', rowMessages, {
    no_such_column: [
      { argument: 'fields', column: 'total_tw', columns: ['id', 'total_wt'] },
      { argument: 'sort', column: 'zzzzzzzz', columns: ['id'] },
    ],
  }),
  ...sentencesOf('results', resultMessages, {
    result_gone: [
      { ...kept, trouble: undefined },
      { ...kept, trouble: 'full' },
    ],
  }),
  ...sentencesOf('export_rows, show_figure', exportMessages, {
    statement_or_result: [{ hasBoth: false }, { hasBoth: true }],
  }),
  ...sentencesOf('figure', figureMessages, {
    not_drawn: [{ rows: 1, axis: 'day' }],
  }),
  ...sentencesOf('no figure', figureRefusals, {
    noNumbers: [
      {
        columns: [
          { name: 'day', type: 'DATE' },
          { name: 'shop', type: 'VARCHAR' },
        ],
      },
    ],
    labelTwice: [
      { axis: 'shop', label: 'Bar' },
      { axis: 'day', label: '2026-11-02', split: 'shop', column: 'method' },
      { axis: 'name', label: 'Webshop', column: 'measure' },
    ],
    tooManySeries: [
      { max: 12, measures: 13 },
      { max: 12, measures: 1, split: { name: 'shop', values: 13 } },
    ],
    twoUnits: [
      { first: counts, other: { name: 'n' } },
      { first: counts, other: { name: 'n', unit: 'euro' } },
    ],
  }),
  ...sentencesOf('warnings', warningMessages),
  ...sentencesOf('files', folderMessages, {
    no_download_folder: [{ home: '/home/anna' }],
    file_not_written: [{ folder: '/mnt/reports', reason: 'EACCES: permission denied' }],
  }),
  ...sentencesOf('files', offerMessages, { file_too_large: [{ megabytes: 240, max: 100 }] }),
  ...sentencesOf('workbook', workbookMessages, {
    too_many_for_sheet: [{ rows: 2_000_000, max: 1_048_575 }],
  }),
];
