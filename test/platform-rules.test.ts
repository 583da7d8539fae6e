import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const page = 'docs/platform.md';

/** The headings of the page as GitHub makes anchors of them, those that state a rule apart. */
const headings = [...readFileSync(page, 'utf8').matchAll(/^(##|###) (.+)$/gm)].map(
  ([, level, title = '']) => ({
    anchor: title
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
    isRule: level === '###' || title === 'Errors' || title === 'Description',
  }),
);

/** Every link to a heading of the page, from the project's own files. */
const links = execFileSync('git', ['ls-files', 'src', 'test', 'bench', 'eval', 'scripts', 'docs'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(ts|mjs|md)$/.test(file))
  .flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/platform\.md#([\w-]+)/g)].map(([, anchor]) => ({
      file,
      anchor,
    })),
  );

describe(page, () => {
  test('has a heading wherever a link leads', () => {
    const anchors = new Set(headings.map(({ anchor }) => anchor));
    const unknown = links.filter(({ anchor = '' }) => !anchors.has(anchor));
    expect(unknown, `${page} has no such heading: add the rule there`).toEqual([]);
    expect(anchors.size).toBe(headings.length);
  });

  test('has no rule that no test names', () => {
    const tested = new Set(
      links.filter(({ file }) => file.endsWith('.test.ts')).map(({ anchor }) => anchor),
    );
    const rules = headings.filter(({ isRule }) => isRule).map(({ anchor }) => anchor);
    expect(rules.length).toBeGreaterThan(30);
    const untested = rules.filter((rule) => !tested.has(rule));
    expect(untested, `name ${page}#RULE in the title of the test that holds it`).toEqual([]);
  });
});
