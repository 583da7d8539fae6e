import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** How many numbered rules each section of the API document has. */
const sections = {
  1: { rules: 5, about: 'conventions' },
  4: { rules: 11, about: 'rules of the endpoints' },
  5: { rules: 9, about: 'authentication' },
  8: { rules: 6, about: 'limits' },
} as const;

const folder = fileURLToPath(new URL('.', import.meta.url));

/** The files that name each rule, by `section.rule`. */
function whereNamed(): Map<string, string[]> {
  const named = new Map<string, string[]>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.test.ts') || file === 'platform-rules.test.ts') continue;
    for (const rule of rulesNamedIn(readFileSync(join(folder, file), 'utf8')))
      named.set(rule, [...(named.get(rule) ?? []), file]);
  }
  return named;
}

/** `section 4, rule 6`, `section 4, rules 3 and 4`, `section 5.4` and `sections 5.6 and 8.1`. */
function rulesNamedIn(text: string): Set<string> {
  const spoken = [...text.matchAll(/section (\d+), rules? (\d+)(?: and (\d+))?/gi)].flatMap(
    ([, section, rule, other]) => [`${section}.${rule}`, ...(other ? [`${section}.${other}`] : [])],
  );
  const dotted = [...text.matchAll(/sections? (\d+\.\d+)(?: and (\d+\.\d+))?/gi)].flatMap(
    ([, rule = '', other]) => [rule, ...(other ? [other] : [])],
  );
  return new Set([...spoken, ...dotted]);
}

describe('the API document', () => {
  const named = whereNamed();

  const rules = Object.entries(sections).flatMap(([section, { rules: count, about }]) =>
    Array.from({ length: count }, (_, index) => ({ rule: `${section}.${index + 1}`, about })),
  );

  test.each(rules)('has its rule $rule ($about) named in a test', ({ rule }) => {
    expect(named.get(rule) ?? []).not.toEqual([]);
  });

  test('has no rule that a test names and it lacks', () => {
    const known = rules.map(({ rule }) => rule);
    const numbered = [...named.keys()].filter((rule) => /^[1458]\./.test(rule));
    expect(numbered.filter((rule) => !known.includes(rule))).toEqual([]);
  });
});

describe('a rule in a test', () => {
  test.each([
    ['(section 4, rule 6)', ['4.6']],
    ['Section 4, rules 3 and 4:', ['4.3', '4.4']],
    ['section 5.4: once', ['5.4']],
    ['sections 5.6 and 8.1', ['5.6', '8.1']],
    ['section 7, 400', []],
  ])('%j names %j', (text, named) => {
    expect([...rulesNamedIn(text)]).toEqual(named);
  });
});
