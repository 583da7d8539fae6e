import { expect, test } from 'vitest';
import { InputError } from '../../../src/core/errors.ts';
import { fillPrompt, parsePrompt, readPrompts } from '../../../src/mcp/prompts/prompts.ts';
import { reasonOf } from '../../reasons.ts';
import { folderWith } from '../../setup/folder.ts';

const file = `---
title: Greeting
description: Says hello
arguments:
  - name: who
    description: Whom
    required: true
    complete: [you, 7, true]
  - name: mood
    description: How
    default: gladly
---

Hello {{who}}, {{ mood }}; {{who}}!
`;
const greeting = await parsePrompt('greeting.md', file);

test('a prompt is read from its file, with line ends of Windows too', async () => {
  const who = { name: 'who', description: 'Whom', required: true, default: '' };
  const mood = { name: 'mood', description: 'How', required: false, default: 'gladly' };
  expect(greeting).toEqual({
    name: 'greeting',
    title: 'Greeting',
    description: 'Says hello',
    arguments: [{ ...who, complete: ['you', '7', 'true'] }, mood],
    body: 'Hello {{who}}, {{ mood }}; {{who}}!',
  });
  expect(await parsePrompt('greeting.md', file.replaceAll('\n', '\r\n'))).toEqual(greeting);
});

test('a prompt is filled with values as they are, and the default where none is given', () => {
  expect(fillPrompt(greeting, { who: ' you ', mood: ' ' })).toBe('Hello you, gladly; you!');
  const odd = '{{mood}} $& $1';
  expect(fillPrompt(greeting, { who: odd })).toBe(`Hello ${odd}, gladly; ${odd}!`);
  expect(() => fillPrompt(greeting, { mood: 'sadly' })).toThrow(InputError);
  expect(() => fillPrompt(greeting, {})).toThrow(
    reasonOf({ code: 'wrong_arguments', tool: 'greeting' }),
  );
});

test.each([
  ['no front matter', 'Hello', 'begins without front matter'],
  ['no title', file.replace('title: Greeting\n', ''), 'title'],
  ['an unknown key', file.replace('title:', 'titel:'), 'titel'],
  [
    'a placeholder of no argument',
    file.replace('{{who}}', '{{whom}}'),
    '{{whom}} names no argument',
  ],
  ['YAML that is none', file.replace('title: Greeting', 'title: [oops'), 'Flow sequence'],
  ['9,000 keys', file.replace('mood', `mood, ${'a,'.repeat(4000)}`), 'at most 8000'],
  ['an argument name that is no word', file.replace('name: who', 'name: Who Is'), 'name'],
])('a file with %s is refused', async (_, text, reason) => {
  await expect(parsePrompt('broken.md', text)).rejects.toThrow(reason);
});

test('a broken file is left out and reported; the others are served in order', async () => {
  const broken = '---\ntitle: [\n---\nHello';
  const own = folderWith({ 'b.md': file, 'a.md': file, 'notes.txt': file, 'broken.md': broken });
  const lines: unknown[] = [];
  const read = await readPrompts([own], { warn: (facts) => lines.push(facts) });
  expect(read.map(({ name }) => name)).toEqual(['a', 'b']);
  const reason = expect.stringMatching(/^prompts.broken.md: /);
  expect(lines).toEqual([{ file: 'broken.md', reason }]);
});
