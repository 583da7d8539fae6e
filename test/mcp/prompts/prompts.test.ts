import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../src/core/errors.ts';
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
