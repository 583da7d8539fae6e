import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { referenceKinds } from '../../../src/analysis/reference/reference.ts';
import { analysisTools } from '../../../src/analysis/tools.ts';
import { type CommerceError, InputError } from '../../../src/core/errors.ts';
import { periodWords } from '../../../src/core/period-words.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import { parsePrompt, readPrompts } from '../../../src/mcp/prompts/prompt-files.ts';
import { fillPrompt, type Prompt } from '../../../src/mcp/prompts/prompts.ts';

const folder = fileURLToPath(new URL('../../../prompts/', import.meta.url));

const prompts = readdirSync(folder).map((file): [string, Prompt] => [
  file.replace(/\.md$/, ''),
  parsePrompt(file, readFileSync(join(folder, file), 'utf8')),
]);

const definitions = [...endpoints, ...analysisTools];
const tools = definitions.map(({ tool }) => tool);

describe('the prompts', () => {
  test('are all readable, in the order of their names', async () => {
    const errors: string[] = [];
    const read = readPrompts(folder, (file) => errors.push(file));
    expect(errors).toEqual([]);
    expect(read.map(({ name }) => name)).toEqual(prompts.map(([name]) => name).sort());
  });

  test.each(prompts)(
    'include %s, which fills without any argument, at most a page',
    (_, prompt) => {
      const text = fillPrompt(prompt, {});
      expect(text).not.toMatch(/\{\{|\}\}|undefined|null,/);
      expect(text.split('\n').length).toBeLessThanOrEqual(60);
      expect(text.length).toBeLessThan(4500);
    },
  );

  test.each(prompts)('include %s, which uses every argument it takes', (_, prompt) => {
    for (const { name, required } of prompt.arguments) {
      expect(required).toBe(false);
      expect(fillPrompt(prompt, { [name]: '<<given>>' })).toContain('<<given>>');
    }
  });

  test.each(prompts)('include %s, which says what an empty argument means', (_, prompt) => {
    const empty = prompt.arguments.filter(({ standard }) => standard === '');
    for (const { description } of empty) expect(description).toContain('empty');
    const unexplained = fillPrompt(prompt, {})
      .split('\n')
      .filter((line) => /^- .*: *$/.test(line) && !line.includes('(empty: '));
    expect(unexplained).toEqual([]);
  });

  test.each(prompts)('include %s, which completes its arguments from what exists', (_, prompt) => {
    for (const { name, complete, standard } of prompt.arguments) {
      if (name === 'product') continue;
      if (typeof complete === 'string') expect(['period', ...referenceKinds]).toContain(complete);
      else expect(complete?.length).toBeGreaterThan(1);
      const values = complete === 'period' ? periodWords : complete;
      if (standard !== '') expect(values).toContain(standard);
    }
  });

  test.each(prompts)('include %s, which names only tools that exist', (_, { body }) => {
    const named = [...body.matchAll(/`((?:get|list|search|find|compare|read)_[a-z_]+)`/g)];
    expect(named.length).toBeGreaterThan(1);
    for (const [, tool] of named) expect(tools).toContain(tool);
  });

  test.each(prompts)('include %s, whose arguments some tool takes as they stand', (_, prompt) => {
    const written = [...fillPrompt(prompt, {}).matchAll(/`([a-z_]+):\s([^`]+)`/g)];
    for (const [text, name = '', value = ''] of written) {
      const takers = definitions.filter(
        ({ input }) => input.shape[name]?.safeParse(JSON.parse(value)).success,
      );
      expect(takers.length, text).toBeGreaterThan(0);
    }
  });

  test.each(prompts)('include %s, which asks for the checks and the language', (_, { body }) => {
    for (const heading of ['## Gather', '## Check before you write', '## Answer'])
      expect(body).toContain(`\n${heading}\n`);
    expect(body).toMatch(/context\.(period|complete|as_of)/);
    expect(body.replace(/\s+/g, ' ')).toMatch(/Write in the language that I write in\.$/);
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

  test('names an argument that it does not take', () => {
    expect(() => fillPrompt(prompt, { who: 'you', when: 'now' })).toThrow(
      'greeting has no argument "when". It takes: who, mood.',
    );
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
