import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  describeIssue,
  expectation,
  unknownArgument,
} from '../../../src/mcp/tools/argument-errors.ts';
import { inputSchema, type PropertySchema } from '../../../src/mcp/tools/json-schema.ts';

describe('expectation', () => {
  test.each<[PropertySchema | undefined, string]>([
    [{ type: 'integer', minimum: 1, maximum: 500 }, 'a whole number from 1 to 500'],
    [{ type: 'integer', minimum: 0 }, 'a whole number of 0 or more'],
    [{ type: 'integer', maximum: 9 }, 'a whole number of at most 9'],
    [{ type: 'integer' }, 'a whole number'],
    [{ type: 'number', minimum: 0.5 }, 'a number of 0.5 or more'],
    [{ type: 'boolean' }, 'true or false'],
    [{ type: 'string', enum: ['day', 'week'] }, 'one of day, week'],
    [{ type: 'string', description: 'Shop id or name' }, 'text (Shop id or name)'],
    [{ type: 'string' }, 'text'],
    [{ type: 'array', items: { type: 'integer' } }, 'a list, each entry a whole number'],
    [{ type: 'array', items: { type: 'object' } }, 'a list, each entry an object'],
    [undefined, 'text'],
  ])('puts %j as %s', (property, words) => {
    expect(expectation(property)).toBe(words);
  });
});

describe('unknownArgument', () => {
  test('says so of a tool that takes none', () => {
    expect(unknownArgument('get_me', 'id', {})).toBe(
      'get_me has no argument "id". It takes no arguments.',
    );
  });

  test('names the nearest and all', () => {
    const properties = { from: { type: 'string' }, to: { type: 'string' } };
    expect(unknownArgument('get_payment_report', 'form', properties)).toBe(
      'get_payment_report has no argument "form". Did you mean from? It takes: from, to.',
    );
  });
});

describe('describeIssue', () => {
  const input = z.strictObject({
    code: z.string().regex(/^[a-z]{2}$/, 'must be two lower-case letters, such as nl'),
    where: z.array(z.strictObject({ column: z.string(), op: z.enum(['eq', 'contains']) })),
    day: z.string().describe('YYYY-MM-DD'),
  });
  const right = { code: 'nl', where: [{ column: 'a', op: 'eq' }], day: '2026-11-20' };

  /** All that is wrong with the arguments, in words. */
  function describeAll(given: Record<string, unknown>): string[] {
    const values = { ...right, ...given };
    const properties = inputSchema(input).properties ?? {};
    const { error } = input.safeParse(values);
    return (error?.issues ?? []).map((issue) => describeIssue('ask', issue, properties, values));
  }

  test.each<[string, Record<string, unknown>, string]>([
    [
      'a pattern by its own sentence',
      { code: 'NLD' },
      'ask: code must be two lower-case letters, such as nl, not "NLD".',
    ],
    ['what is missing', { day: undefined }, 'ask: day is required: text (YYYY-MM-DD).'],
    [
      'a member of an object',
      { where: [{ column: 'a', op: 'contain' }] },
      'ask: where.0.op must be one of eq, contains, not "contain". Did you mean contains?',
    ],
    [
      'a member that is missing',
      { where: [{ op: 'eq' }] },
      'ask: where.0.column must be text, not nothing.',
    ],
    [
      'a member that does not exist',
      { where: [{ ...right.where[0], v: 1 }] },
      'ask: where.0 has no "v".',
    ],
    ['a whole entry', { where: [null] }, 'ask: where.0 must be an object, not null.'],
    [
      'a list within a list by what it is',
      { where: [[right.where[0]]] },
      'ask: where.0 must be an object, not [{"column":"a","op":"eq"}].',
    ],
    [
      'the wrong kind of value',
      { where: 7 },
      'ask: where must be a list, each entry an object, not 7.',
    ],
  ])('names %s', (_, given, line) => {
    expect(describeAll(given)).toEqual([line]);
  });

  test('says nothing of arguments that are right', () => {
    expect(describeAll({})).toEqual([]);
  });
});
