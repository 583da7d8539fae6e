import { describe, expect, test } from 'vitest';
import { changedLines } from '../../../../src/cli/commands/connect/preview.ts';

describe('the lines of a change', () => {
  test('are those that go and those that come, and no others', () => {
    expect(changedLines('a\nb\nc\n', 'a\nx\ny\nc\n')).toEqual(['- b', '+ x', '+ y']);
    expect(changedLines('', 'a\n')).toEqual(['+ a']);
    expect(changedLines('a\nb\n', 'a\n')).toEqual(['- b']);
  });

  test.each([
    [
      '"env": { "GITHUB_TOKEN": "ghp_abc", "HOME": "/x" }',
      '"env": { "GITHUB_TOKEN": "…", "HOME": "/x" }',
    ],
    ['API_KEY = "with \\" quote"', 'API_KEY = "…"'],
    ["api_key: 'single'", 'api_key: "…"'],
    ['password: plain', 'password: "…"'],
    [`"COMMERCE_CLIENT_SECRET": "\${input:x}"`, `"COMMERCE_CLIENT_SECRET": "\${input:x}"`],
    ['"COMMERCE_CLIENT_SECRET_FILE": "/home/a/b"', '"COMMERCE_CLIENT_SECRET_FILE": "/home/a/b"'],
  ])('show no secret: %s', (line, shown) => {
    expect(changedLines('', `${line}\n`)).toEqual([`+ ${shown}`]);
  });
});
