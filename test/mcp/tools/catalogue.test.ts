import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { analysisTools } from '../../../src/analysis/tools.ts';
import { isRecord } from '../../../src/core/json.ts';
import { sentencesFor } from '../../../src/core/text.ts';
import { documentedColumns, type Toolset, toolsets } from '../../../src/endpoints/define.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import {
  Catalogue,
  type ObjectSchema,
  outputSchemas,
  type PropertySchema,
} from '../../../src/mcp/tools/catalogue.ts';
import { anOrder, argumentsOf, inputSchema, samples } from '../../samples.ts';
import { sharedServer } from '../../server-over.ts';

interface Definition {
  tool: string;
  input: z.ZodObject;
  output: z.ZodObject;
}

const byTool = [...endpoints, ...analysisTools].map((it): [string, Definition] => [it.tool, it]);

/** Keywords of JSON Schema that some clients cannot read. */
const beyondClients = [
  ...['$ref', '$defs', '$schema', 'definitions', 'format', 'anyOf', 'oneOf', 'allOf', 'not'],
  ...['const', 'exclusiveMinimum', 'exclusiveMaximum', 'patternProperties', 'propertyNames'],
  'prefixItems',
];

const scalars: unknown[] = ['string', 'integer', 'number', 'boolean'];

/** Reasons for which clients could not read a schema of arguments. */
function clientProblems({ properties = {}, ...schema }: ObjectSchema): string[] {
  const own = Object.entries(properties).flatMap(([name, { items, ...property }]) => {
    const keywords = [property, items ?? {}].flatMap((it) => Object.keys(it));
    const isScalar = scalars.includes(property.type === 'array' ? items?.type : property.type);
    return isScalar ? keywords : [...keywords, `${name} is neither scalar nor a list of them`];
  });
  return [...Object.keys(schema), ...own].filter(
    (word) => word.includes(' ') || beyondClients.includes(word),
  );
}

describe.each(byTool)('the schemas of %s', (tool, { input, output }) => {
  test('stay inside what clients can read, names included', () => {
    const schema = inputSchema(input);
    expect(schema.type).toBe('object');
    expect(clientProblems(schema)).toEqual([]);
    for (const name of [tool, ...Object.keys(schema.properties ?? {})])
      expect(name).toMatch(/^[a-z][a-z0-9_]{0,39}$/);
  });

  test('let an answer say more, less and nothing, beside a context', () => {
    const schemas = outputSchemas({ schema: output });
    expect(schemas.schema?.type).toBe('object');
    expect(schemas.schema?.properties).toHaveProperty('context', { type: 'object' });
    expect(schemas.schema?.required).toEqual(['context']);
    expect(JSON.stringify(schemas)).not.toMatch(/\$ref|anyOf|"additionalProperties":false/);
  });
});

interface Reading {
  tool: string;
  description: string;
  parameters: Record<string, PropertySchema>;
}

const catalogue = [...endpoints, ...analysisTools].map(
  ({ tool, description, input }): Reading => ({
    tool,
    description: sentencesFor(description, () => true),
    parameters: inputSchema(input).properties ?? {},
  }),
);
const parameters = catalogue.flatMap((it) =>
  Object.entries(it.parameters).map(([name, { description = '' }]): [string, string, string] => [
    it.tool,
    name,
    description,
  ]),
);

const server = sharedServer();

const { speak } = new Catalogue();

describe('a parameter', () => {
  test.each(parameters)('%s %s is described, in few words on one line', (_, __, description) => {
    const hint = ".describe('...') it where it is defined: 4 to 126 characters, one line";
    expect(description, hint).toMatch(/^[A-Za-z0-9][^\n]{3,125}$/);
  });

  test.each(parameters.filter(([, name]) => /(^|_)ids?$/.test(name) || name === 'order_number'))(
    '%s %s says whose id it is, or where it is found',
    (_, __, description) => {
      expect(description, 'say "id or name", "inner id", or where the id is found').toMatch(
        /\bid or name\b|not the order_number|Instead of order_id|inner id|relation_data_id|context\.result\.id|Inner ids/,
      );
    },
  );

  test.each(
    catalogue.filter(({ parameters: { fields } }) => fields?.description?.includes('e.g.')),
  )('fields of $tool shows columns of its answer', async ({ tool, parameters: { fields } }) => {
    const [, example = ''] = /e\.g\. (.+)$/.exec(speak(fields?.description ?? '')) ?? [];
    const sample = samples.find((it) => it.tool === tool) ?? expect.unreachable();
    const ask = argumentsOf(sample, { orderId: anOrder(server().sandbox.world) });
    const { rows, isError, text } = await server().ask(tool, {
      ...ask,
      fields: example.split(', '),
    });
    expect(isError, text).toBe(false);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((row) => Object.keys(row).join(', ') === example)).toBe(true);
  });

  test('a parameter of a list has an example where a column beside its id is documented', () => {
    const without = endpoints.filter(({ tool, output }) => {
      const data = output.shape.data;
      const fields = catalogue.find((it) => it.tool === tool)?.parameters.fields;
      if (fields === undefined || data === undefined) return false;
      if (Object.keys(documentedColumns(output)).join() === 'id') return false;
      return !fields.description?.includes('e.g.');
    });
    const hint =
      "give a column as example: wholeList('title'), page(100, 500, 'title'), columns('title')";
    expect(
      without.map(({ tool }) => tool),
      hint,
    ).toEqual(['get_product_sales', 'list_stock']);
  });

  test('a parameter that the platform adds keeps the description of the platform', async () => {
    const { tools } = await server().listTools();
    const bare = tools.flatMap(({ name, inputSchema: { properties = {} } }) =>
      Object.entries(properties)
        .filter(([, property]) => !isRecord(property) || !property.description)
        .map(([argument]) => `${name} ${argument}`),
    );
    expect(bare).toEqual([]);
  });
});

describe('a description', () => {
  const everyArgument = new Set(parameters.map(([, name]) => name));
  const isTool = new Set(catalogue.map(({ tool }) => tool));

  /** The arguments that a text tells its reader to give: `use all`, `Instead of from/to`. */
  function promised(text: string): string[] {
    const sentences = text.matchAll(
      /\b(?:[Uu]se|[Gg]ive(?: it as)?|[Ii]nstead of|with|[Tt]akes?|omit|default|[Ww]ithout) ([a-z_]+(?:(?:\/|, | and | or )[a-z_]+)*)\b(?! :=)/g,
    );
    return [...sentences]
      .flatMap(([, names = '']) => names.split(/\/|, | and | or /))
      .filter((name) => everyArgument.has(name) && !isTool.has(name));
  }

  test.each(catalogue)('of $tool promises no argument that it lacks', (reading) => {
    const texts = [
      reading.description,
      ...Object.values(reading.parameters).map((it) => it.description ?? ''),
    ];
    const lacking = texts.flatMap(promised).filter((name) => !(name in reading.parameters));
    expect(lacking, 'its texts tell to give arguments that it does not take').toEqual([]);
  });
});

test.each<[keeps: boolean, open: readonly Toolset[]]>([
  [true, toolsets],
  [false, toolsets],
  [true, ['analysis', 'reports']],
])('query says that kept lines cost nothing where they are kept: %s, %j', (keeps, open) => {
  const { description } = new Catalogue(open, endpoints, keeps).find('query') ?? {};
  const isTold = description?.includes('Lines that are kept cost no call.');
  expect(isTold).toBe(keeps && open.includes('orders'));
});
