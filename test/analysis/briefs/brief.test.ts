import { describe, expect, test } from 'vitest';
import { type BriefBlock, parseBrief } from '../../../src/analysis/briefs/brief.ts';
import { reasonOf } from '../../reasons.ts';

const file = `---
title: The day {{day}}
description: What it was like
parameter day = yesterday
parameter shop = Webshop
---
# Before {{day}}

\`\`\`call title="Orders of {{shop}}" news
list_orders period={{day}} shop_id="{{shop}}"
  fields=id,total_wt sort='-total_wt'
\`\`\`

Between.
\`\`\`sql max_calls=20
SELECT '{{day}}' AS day
\`\`\`
\`\`\`figure title="By day" unit=euro
SELECT 1
\`\`\`
\`\`\`text
no block
\`\`\`
`;

const blocksOf = (text: string, values = {}) =>
  parseBrief('day', text, values).parts.filter((it): it is BriefBlock => typeof it !== 'string');

describe('a brief', () => {
  test('is Markdown with blocks, each a call with its line', () => {
    const { parts, ...head } = parseBrief('day', file, { shop: 'Utrecht Oost' });
    expect(head).toEqual({
      name: 'day',
      title: 'The day yesterday',
      description: 'What it was like',
    });
    expect(parts).toEqual([
      '# Before yesterday\n\n',
      {
        line: 9,
        title: 'Orders of Utrecht Oost',
        isNews: true,
        tool: 'list_orders',
        arguments: {
          period: 'yesterday',
          shop_id: 'Utrecht Oost',
          fields: 'id,total_wt',
          sort: '-total_wt',
        },
      },
      '\n\nBetween.\n',
      {
        line: 15,
        title: '',
        isNews: false,
        tool: 'query',
        arguments: { max_calls: '20', sql: "SELECT 'yesterday' AS day\n" },
      },
      '\n',
      {
        line: 18,
        title: 'By day',
        isNews: false,
        tool: 'show_figure',
        arguments: { unit: 'euro', sql: 'SELECT 1\n' },
      },
      '\n```text\nno block\n```\n',
    ]);
  });

  test('is the same with line ends of Windows and a byte-order mark', () => {
    const other = `\uFEFF${file.replaceAll('\n', '\r\n')}`;
    expect(parseBrief('day', other, {})).toEqual(parseBrief('day', file, {}));
  });

  test('inserts values of parameters without reading them', () => {
    const [, statement] = blocksOf(file, { day: '$& $1 {{shop}}' });
    expect(statement?.arguments.sql).toBe("SELECT '$& $1 {{shop}}' AS day\n");
  });

  test('refuses a parameter that it does not have', () => {
    expect(() => parseBrief('day', file, { dya: 'x' })).toThrow(
      reasonOf({ code: 'unknown_argument', tool: 'day', argument: 'dya', known: ['day', 'shop'] }),
    );
  });
});

describe('a broken brief', () => {
  test.each([
    ['no head', 'Text', 1, 'no_head'],
    ['no description', file.replace(/description.*\n/, ''), 1, 'no_head'],
    ['a head further down', `\n${file}`, 1, 'no_head'],
    [
      'another line in its head',
      file.replace('parameter shop', 'paramter shop'),
      5,
      'unknown_head',
    ],
    ['a value for no parameter', file.replace('parameter shop = Webshop\n', ''), 8, 'no_parameter'],
    ['a word alone', file.replace('shop_id=', ''), 9, 'not_a_pair'],
    ['a call of nothing', file.replace(/list_orders[^`]*/, ''), 9, 'not_a_pair'],
    ['a word beside its kind', file.replace('max_calls=20', 'quickly'), 15, 'not_a_pair'],
    ['an open block', file.replace(/SELECT 1\n[\s\S]*/, 'SELECT 1\n'), 18, 'not_closed'],
    ['more blocks than 100', file + '```sql\nSELECT 1\n```\n'.repeat(98), 1, 'too_many_blocks'],
  ] as const)('is named with its line: %s', (_, text, line, problem) => {
    expect(() => parseBrief('day', text, {})).toThrow(
      reasonOf({ code: 'brief_broken', file: 'briefs/day.md', line, problem }),
    );
  });
});
