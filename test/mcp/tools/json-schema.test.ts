import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { analysisTools } from '../../../src/analysis/tools.ts';
import { isRecord, type JsonValue } from '../../../src/core/json.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import {
  inputSchema,
  type ObjectSchema,
  outputSchema,
} from '../../../src/mcp/tools/json-schema.ts';

interface Definition {
  tool: string;
  input: z.ZodObject;
  output: z.ZodObject;
}

const byTool = [...endpoints, ...analysisTools].map((it): [string, Definition] => [it.tool, it]);

/** What some clients cannot read in the schema of a tool. */
const beyondClients = [
  '$ref',
  '$defs',
  '$schema',
  'definitions',
  'format',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'const',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'patternProperties',
  'propertyNames',
  'prefixItems',
];

/** Every keyword of a schema, those of its properties included; property names are no keywords. */
function keywordsOf(schema: JsonValue): string[] {
  if (!isRecord(schema)) return [];
  const inner = isRecord(schema.properties) ? Object.values(schema.properties) : [];
  return [
    ...Object.keys(schema),
    ...[...inner, schema.items].flatMap((it) => keywordsOf(asValue(it))),
  ];
}

function asValue(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** Why clients could not read the schema of a tool's arguments; nothing when they can. */
function clientProblems({ properties = {}, ...schema }: ObjectSchema): string[] {
  const scalars = ['string', 'integer', 'number', 'boolean'];
  const isScalar = (type: unknown) => scalars.some((scalar) => scalar === type);
  const problems = keywordsOf({ ...schema, properties: asValue(properties) }).filter((keyword) =>
    beyondClients.includes(keyword),
  );
  for (const [name, property] of Object.entries(properties)) {
    if (isScalar(property.type)) continue;
    const items = property.type === 'array' ? property.items : undefined;
    const members = isRecord(items?.properties) ? Object.values(items.properties) : [];
    const isFlat =
      items?.type === 'object' &&
      members.length > 0 &&
      members.every((member) => isRecord(member) && isScalar(member.type));
    if (!isScalar(items?.type) && !isFlat) problems.push(`${name} is neither scalar nor flat`);
  }
  return problems;
}

describe('inputSchema', () => {
  test.each(byTool)('of %s stays inside what clients can read', (_, { input }) => {
    const schema = inputSchema(input);
    expect(schema.type).toBe('object');
    expect(clientProblems(schema)).toEqual([]);
  });

  test.each(byTool)('of %s has argument names that clients take', (_, { tool, input }) => {
    for (const name of [tool, ...Object.keys(inputSchema(input).properties ?? {})]) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(name.length).toBeLessThanOrEqual(40);
    }
  });

  test('is caught out of bounds by this very test', () => {
    const wrong = z.strictObject({
      day: z.iso.date(),
      above: z.number().gt(0),
      nested: z.strictObject({ a: z.string() }),
      either: z.union([z.strictObject({ a: z.int() }), z.string()]),
    });
    expect(clientProblems(inputSchema(wrong)).sort()).toEqual([
      'either is neither scalar nor flat',
      'exclusiveMinimum',
      'format',
      'nested is neither scalar nor flat',
    ]);
  });
});

describe('outputSchema', () => {
  test.each(byTool)('of %s is an object that every answer has a context in', (_, { output }) => {
    const schema = outputSchema(output);
    expect(schema.type).toBe('object');
    expect(schema.properties).toHaveProperty('context', { type: 'object' });
    expect(schema.required).toContain('context');
  });

  test.each(byTool)('of %s closes nothing and needs nothing else but rows', (_, { output }) => {
    const schema = outputSchema(output);
    expect(JSON.stringify(schema)).not.toMatch(/\$ref|anyOf|"additionalProperties":false/);
    expect(['context', 'data']).toEqual(expect.arrayContaining(schema.required ?? []));
  });
});
