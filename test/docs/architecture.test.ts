import { expect, test } from 'vitest';
import { findRefusals } from '../../scripts/arrows.mjs';

const page = `
\`\`\`arrows
web -> shop/*.ts -> core
shop: open.ts -> till -> price.ts
core/{disk,clock}.ts -> node:
\`\`\`
`;

const house = ['web/page.ts', 'shop/open.ts', 'shop/till/till.ts', 'shop/price.ts', 'core/day.ts'];

function refusalsOf(file: string, source: string, text = page) {
  const others = [...house, 'core/disk.ts'].filter((other) => other !== file);
  const files = others.map((file) => ({ file, source: '' }));
  return findRefusals([...files, { file, source }], text);
}

test.each([
  ['web/page.ts', "import { sum } from '../core/day.ts'"],
  ['shop/open.ts', "import { price } from './price.ts'"],
  ['shop/till/till.ts', "export { price } from '../price.ts'"],
  ['core/disk.ts', "import { readFile } from 'node:fs/promises'; import '../../package.json'"],
  ['shop/price.ts', "import { z } from 'zod'"],
])('an import along the arrows is allowed: %s, %s', (file, source) => {
  expect(refusalsOf(file, source)).toEqual([]);
});

test.each([
  ['core/day.ts', "import { open } from '../shop/open.ts'", 'shop/open.ts'],
  ['core/day.ts', "import type { Open } from '../shop/open.ts'", 'shop/open.ts'],
  ['core/day.ts', "type Open = import('../shop/open.ts').Open", 'shop/open.ts'],
  ['core/day.ts', "await import(\n  '../shop/open.ts',\n)", 'shop/open.ts'],
  ['shop/price.ts', "import './open.ts'", 'shop/open.ts'],
  ['shop/price.ts', "export * from './till/till.ts'", 'shop/till/till.ts'],
  ['web/page.ts', "import { till } from '../shop/till/till.ts'", 'shop/till/till.ts'],
  ['shop/till/till.ts', "import { sum } from '../../core/day.ts'", 'core/day.ts'],
  ['core/day.ts', "import { readFile } from 'node:fs/promises'", 'node:'],
])('an import that no arrow allows is refused: %s, %s', (file, source, target) => {
  expect(refusalsOf(file, source)).toEqual([
    `${file} imports ${target}: no arrow of docs/architecture.md leads there`,
  ]);
});

test('a folder without an arrow, a crowded folder and a circle are refused', () => {
  const [extra, ...crowd] = Array.from({ length: 17 }, (_, index) => `web/${index}.ts`);
  expect(refusalsOf('stock/rows.ts', '')).toEqual([expect.stringMatching(/^stock has no arrow/)]);
  expect(
    findRefusals(
      crowd.map((file) => ({ file, source: '' })),
      page,
    ),
  ).toEqual([]);
  expect(
    findRefusals(
      [extra ?? '', ...crowd].map((file) => ({ file, source: '' })),
      page,
    ),
  ).toEqual([expect.stringMatching(/^web has more than 16 files/)]);
  expect(refusalsOf('web/page.ts', '', page.replace('node:', 'node:\ncore -> web'))).toEqual([
    expect.stringMatching(/run in a circle: .*web\/page\.ts/),
  ]);
});
