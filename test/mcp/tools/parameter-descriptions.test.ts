import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analysisTools } from '../../../src/analysis/tools.ts';
import { isRecord } from '../../../src/core/json.ts';
import { sentencesFor } from '../../../src/core/sentence.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import { inputSchema, type PropertySchema } from '../../../src/mcp/tools/json-schema.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { anOrder, argumentsOf, samples } from '../../samples.ts';
import type { Connection } from '../clients.ts';
import { connectInMemory, startFixedSandbox } from '../in-memory-server.ts';

/** A tool as a model reads it. */
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

let sandbox: Sandbox;
let connection: Connection;

beforeAll(async () => {
  sandbox = await startFixedSandbox({ quota: 6000 });
  connection = await connectInMemory(sandbox);
});

afterAll(async () => {
  await connection.close();
  await sandbox.close();
});

describe('a parameter', () => {
  test.each(parameters)('%s %s is described, in few words on one line', (_, __, description) => {
    expect(description).toMatch(/^[A-Za-z0-9][^\n]{3,125}$/);
  });

  test.each(parameters.filter(([, name]) => /(^|_)ids?$/.test(name) || name === 'order_number'))(
    '%s %s says whose id it is, or where it is found',
    (_, __, description) => {
      expect(description).toMatch(
        /\bid or name\b|not the order_number|Instead of order_id|inner id|relation_data_id|context\.result\.id|Inner ids/,
      );
    },
  );

  test.each(
    catalogue.filter(({ parameters: { fields } }) => fields?.description?.includes('e.g.')),
  )('fields of $tool shows a column of its answer', async ({ tool, parameters: { fields } }) => {
    const [, example = ''] = /e\.g\. (\S+)$/.exec(fields?.description ?? '') ?? [];
    const sample = samples.find((it) => it.tool === tool) ?? expect.unreachable();
    const ask = argumentsOf(sample, { orderId: anOrder(sandbox.world) });
    const { rows, isError, text } = await connection.call(tool, { ...ask, fields: [example] });
    expect(isError, text).toBe(false);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((row) => Object.keys(row).join() === example)).toBe(true);
  });

  test('of a list has an example wherever a column of it is documented', () => {
    const without = endpoints.filter(({ tool, output }) => {
      const data = output.shape.data;
      const fields = catalogue.find((it) => it.tool === tool)?.parameters.fields;
      if (fields === undefined || data === undefined) return false;
      return !fields.description?.includes('e.g.');
    });
    expect(without.map(({ tool }) => tool)).toEqual(['get_product_sales', 'list_stock']);
  });

  test('that the platform adds comes with the words it was given', async () => {
    const { tools } = await connection.listTools();
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
    expect(lacking).toEqual([]);
  });
});
