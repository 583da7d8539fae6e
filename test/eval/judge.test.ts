import { expect, test } from 'vitest';
import { day, type Fact, figure, name, oneOf, rounded } from '../../eval/judge/facts.ts';
import { judge } from '../../eval/judge/judge.ts';

test.each<[string, Fact, string, boolean]>([
  ['an amount in English', figure(1046.78), 'It was €1,046.78.', true],
  ['an amount in Dutch', figure(1046.78), 'Het was € 1.046,78.', true],
  ['an amount that lacks its cents', figure(1046.78), 'about 1,047', false],
  ['an amount a cent off', figure(1046.78), '1,046.79', false],
  ['a loss told as words', figure(-12.5), '12.50 short', true],
  ['a share to one decimal', rounded(63.853, 1), 'fell by 63.9%', true],
  ['a share that is cut, not rounded', rounded(63.853, 2), '63.86', false],
  ['a name without its accent', name('Café Perron'), '**cafe perron**: 12', true],
  ['a day by number', day('2026-11-03'), 'on 2026-11-03', true],
  ['a day in English', day('2026-11-03'), 'Tuesday, November 3rd', true],
  ['a day in Dutch', day('2026-11-03'), 'dinsdag 3 november', true],
  ['a day ten later', day('2026-11-03'), '13 November', false],
  ['either of two', oneOf(name('Monday'), name('maandag')), 'maandag', true],
])('a fact is judged: %s', (_, fact, text, isTold) => {
  expect(fact.isIn(text)).toBe(isTold);
});

const truth = [
  ['Webshop', 1046.78, 900],
  ['Café Perron', 225.55, 200.5],
];

test.each([
  ['one row a line', 'Webshop: 1,046.78 (900.00)\nCafé Perron: 225.55 (200.50)'],
  ['a table', '| Webshop | 1.046,78 | 900,00 |\n|---|---|---|\n| Café Perron | 225,55 | 200,50 |'],
  ['a list below each name', '**Webshop**\n- 1046.78\n- 900\n\n**Cafe Perron**\n- 225.55\n- 200.5'],
  ['one sentence', 'Webshop 1046.78 and 900.00, Café Perron 225.55 and 200.50.'],
])('an answer is right as %s', (_, answer) => {
  expect(judge(answer, truth)).toEqual({ right: true, missing: [] });
});

test('an answer is wrong where figures are at each other’s name, and says which', () => {
  const swapped = 'Webshop: 225.55 (200.50)\nCafé Perron: 1,046.78 (900.00)';
  const { right, missing } = judge(swapped, truth);
  expect(right).toBe(false);
  expect(missing).toEqual(['Webshop, 1046.78, 900', 'Café Perron, 225.55, 200.5']);
});

test('an answer is wrong where a row is left out, or all of them', () => {
  expect(judge('Webshop: 1046.78, 900', truth).missing).toEqual(['Café Perron, 225.55, 200.5']);
  expect(judge('', truth).missing).toHaveLength(2);
});

test('an answer of one row may be spread over lines', () => {
  expect(judge('There were 65.\nTogether: 1,234.50', [[65, 1234.5]]).right).toBe(true);
});
