import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommerceError, InputError } from '../../../src/core/errors.ts';
import { parsePrompt, readPrompts } from '../../../src/mcp/prompts/prompt-files.ts';
import { fillPrompt, type Prompt } from '../../../src/mcp/prompts/prompts.ts';

describe('fillPrompt', () => {
  const prompt: Prompt = {
    name: 'greeting',
    title: 'Greeting',
    description: 'Says hello',
    arguments: [
      { name: 'who', description: 'Whom', required: true, standard: '', complete: undefined },
      {
        name: 'mood',
        description: 'How',
        required: false,
        standard: 'gladly',
        complete: undefined,
      },
    ],
    body: 'Hello {{who}}, {{ mood }}; {{who}}!',
  };

  test('puts values everywhere they go, and the default where none is given', () => {
    expect(fillPrompt(prompt, { who: ' you ', mood: ' ' })).toBe('Hello you, gladly; you!');
  });

  test('names a required argument that is missing', () => {
    expect(() => fillPrompt(prompt, { mood: 'sadly' })).toThrow(InputError);
    expect(() => fillPrompt(prompt, {})).toThrow('greeting: who is required: Whom');
  });

  test('takes a value as it is, whatever it looks like', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => text.trim() !== ''),
        (text) => {
          expect(fillPrompt(prompt, { who: text })).toBe(
            `Hello ${text.trim()}, gladly; ${text.trim()}!`,
          );
        },
      ),
    );
    expect(fillPrompt(prompt, { who: '{{mood}} $& $1' })).toContain('Hello {{mood}} $& $1, gladly');
  });
});

describe('parsePrompt', () => {
  const good = `---
title: Greeting
description: Says hello
arguments:
  - name: who
    description: Whom
    default: 5
    complete: [you, 7, true]
  - name: where
    description: Where
    default:
---

Hello {{who}} in {{ where }}.
`;

  test('reads a file', () => {
    expect(parsePrompt('greeting.md', good)).toEqual({
      name: 'greeting',
      title: 'Greeting',
      description: 'Says hello',
      arguments: [
        {
          name: 'who',
          description: 'Whom',
          required: false,
          standard: '5',
          complete: ['you', '7', 'true'],
        },
        { name: 'where', description: 'Where', required: false, standard: '' },
      ],
      body: 'Hello {{who}} in {{ where }}.',
    });
  });

  test('reads a file with line ends of Windows', () => {
    expect(parsePrompt('greeting.md', good.replaceAll('\n', '\r\n')).title).toBe('Greeting');
  });

  test.each([
    ['no front matter', 'Hello', 'begins without front matter'],
    ['no title', good.replace('title: Greeting\n', ''), 'title'],
    ['an unknown key', good.replace('title:', 'titel:'), 'titel'],
    [
      'a placeholder without an argument',
      good.replace('{{who}}', '{{whom}}'),
      '{{whom}} stands for',
    ],
    ['YAML that is none', good.replace('title: Greeting', 'title: [oops'), 'Flow sequence'],
    ['an argument name that is no word', good.replace('name: who', 'name: Who Is'), 'name'],
  ])('refuses a file with %s', (_, text, reason) => {
    expect(() => parsePrompt('broken.md', text)).toThrow(reason);
  });
});

describe('readPrompts', () => {
  let own = '';
  beforeAll(() => {
    own = mkdtempSync(join(tmpdir(), 'prompts-'));
    writeFileSync(join(own, 'b.md'), '---\ntitle: B\ndescription: B\n---\nHello');
    writeFileSync(join(own, 'a.md'), '---\ntitle: A\ndescription: A\n---\nHello');
    writeFileSync(join(own, 'broken.md'), '---\ntitle: [\n---\nHello');
    writeFileSync(join(own, 'notes.txt'), 'not a prompt');
  });
  afterAll(() => rmSync(own, { recursive: true }));

  test('leaves a broken file out, reports it and serves the others in order', async () => {
    const reports: [string, CommerceError][] = [];
    const read = readPrompts(own, (file, error) => reports.push([file, error]));
    expect(read.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(reports.map(([file]) => file)).toEqual(['broken.md']);
    expect(reports[0]?.[1].code).toBe('bad_config');
    expect(reports[0]?.[1].message).toMatch(/^prompts\/broken\.md: /);
  });
});
