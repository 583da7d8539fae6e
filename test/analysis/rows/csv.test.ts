import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { csvChunks } from '../../../src/analysis/rows/csv.ts';
import type { Row } from '../../../src/analysis/rows/rows.ts';
import { readColumns } from '../../../src/analysis/rows/rows.ts';

describe('csvChunks', () => {
  test.each<[what: string, rows: Row[], text: string]>([
    ['a header and a line a row', [{ id: 1, name: 'Lars' }, { id: 2 }], 'id,name\n1,Lars\n2,\n'],
    ['nested fields as dotted columns', [{ a: { b: 'x', c: 1 } }], 'a.b,a.c\nx,1\n'],
    ['lists as JSON', [{ tags: ['a', 'b'] }], 'tags\n"[""a"",""b""]"\n'],
    ['quoted what would be taken apart', [{ a: 'b, "c"\nd' }], 'a\n"b, ""c""\nd"\n'],
    ['an empty cell that is alone on its line', [{ note: 'a' }, { note: null }], 'note\na\n""\n'],
    ['figures as figures', [{ margin: -1.5, exact: '-12.50' }], 'margin,exact\n-1.5,-12.50\n'],
  ])('writes %s', (_, rows, text) => {
    expect([...csvChunks(readColumns(rows))].join('')).toBe(text);
  });

  test('keeps a spreadsheet from running what somebody typed, in names of columns too', () => {
    const rows = [{ '=cmd()': '@SUM(A1)', name: '-x' }];
    expect([...csvChunks(readColumns(rows))].join('')).toBe("'=cmd(),name\n'@SUM(A1),'-x\n");
  });

  test.each([
    ['a;=1+1', "a;'=1+1"],
    ['a;"=1+1"', `a;"'=1+1"`],
    ['a\t@SUM(A1)', "a\t'@SUM(A1)"],
    ['a\n=HYPERLINK("x")', `a\n'=HYPERLINK("x")`],
    ['a\r\n +cmd|x', "a\r\n '+cmd|x"],
    ['; -2+3+cmd', "; '-2+3+cmd"],
    ['x,=1+1', "x,'=1+1"],
    ['＝1+1', "'＝1+1"],
    ['a;＠SUM(A1)', "a;'＠SUM(A1)"],
    ['\tSUM(A1)', "'\tSUM(A1)"],
    ['\rSUM(A1)', "'\rSUM(A1)"],
    ['+31 20 cmd|x', "'+31 20 cmd|x"],
    ['+A1', "'+A1"],
    ['-2+3', "'-2+3"],
    ['from;-5;to, -1.5e3, 2', 'from;-5;to, -1.5e3, 2'],
    ['a - b; c = d', 'a - b; c = d'],
  ])('takes the sting out of a formula behind what may end a cell: %j', (text, inert) => {
    const [, row = []] = parse([...csvChunks(readColumns([{ text }]))].join(''));
    expect(row).toEqual([inert]);
  });

  test.each([
    ...[
      '+31 20 123 45 67',
      '+31 (0)20-1234567',
      '+31201234567',
      '+31.6.12345678',
      '+31/20/1234567',
    ],
    ...['-1.234,56', '+5 %', '-12%', "-1'000", '-1 000,00', '+1E5', '-', '--', '06-12345678'],
    ...['Bel +31 20 123 45 67', '+31 20 123; +31 6 12 34', '["a","+31 20 123","-5"]'],
  ])('leaves a telephone number and a number as they are: %s', (text) => {
    const [, row = []] = parse([...csvChunks(readColumns([{ text }]))].join(''));
    expect(row).toEqual([text]);
  });

  test('escapes a formula at the start of a cell of 150,000 characters', () => {
    const text = `+1${' 1'.repeat(50_000)}${' '.repeat(100_000)}x`;
    expect([...csvChunks(readColumns([{ text }]))].join('')).toBe(`text\n'${text}\n`);
  });

  test('holds no character that acts but tabs and line ends, in names of columns too', () => {
    const name = 'a\u001b[2J\u202eb\u200b\u0000';
    const shown = 'a\\u001b[2J\\u202eb\\u200b\\u0000';
    expect([...csvChunks(readColumns([{ [name]: `${name}\tx\ny` }]))].join('')).toBe(
      `${shown}\n"${shown}\tx\ny"\n`,
    );
  });

  test('names the columns of no rows where they are known', () => {
    expect(
      [
        ...csvChunks(
          new Map([
            ['id', []],
            ['name', []],
          ]),
        ),
      ].join(''),
    ).toBe('id,name\n');
    expect([...csvChunks(readColumns([]))].join('')).toBe('');
  });

  test('comes in pieces, none of which holds a long list', () => {
    const pieces = [...csvChunks(readColumns(Array.from({ length: 10_000 }, (_, id) => ({ id }))))];
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(10_000);
    expect(pieces.join('').split('\n')).toHaveLength(10_002);
  });
});
