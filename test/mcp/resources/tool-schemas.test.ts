import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { finishedContext } from '../../../src/analysis/answer.ts';
import { isRecord } from '../../../src/core/json.ts';
import { unknownName } from '../../../src/core/nearest.ts';
import type { toolSchemas } from '../../../src/mcp/resources/tool-schemas.ts';
import { anOrder, argumentsOf, samples } from '../../samples.ts';
import { serverOver, sharedServer, type TestServer } from '../../server-over.ts';

type ToolSchemas = ReturnType<typeof toolSchemas>;

const server = sharedServer();

async function schemasOf({ read }: TestServer, tool: string): Promise<ToolSchemas> {
  const [content] = await read(`commerce://schemas/${tool}`);
  return JSON.parse(content?.text ?? '');
}

/** The first way in which a value breaks a schema. */
function problemWith(schema: object, value: unknown): string | undefined {
  return new AjvJsonSchemaValidator().getValidator(schema)(value).errorMessage;
}

/** The names of the fields of a row, with those of nested objects after a dot. */
function fieldsOf({ properties }: { properties?: unknown }): string[] {
  return Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, it]) => {
    const inner = isRecord(it) ? fieldsOf(it) : [];
    return inner.length > 0 ? inner.map((field) => `${name}.${field}`) : [name];
  });
}

function rowsOf({ outputSchema }: ToolSchemas) {
  return outputSchema.properties?.data?.items ?? {};
}

describe('commerce://schemas', () => {
  let resultId: unknown;
  beforeAll(async () => {
    const kept = await server.ask('list_orders', { period: 'last_week', all: true });
    resultId = Object(kept.context.result).id;
  });

  test.each(samples)(
    'holds what $tool answers, every field of its context included',
    async (it) => {
      const { ask, sandbox } = server();
      const given = { orderId: anOrder(sandbox.world), resultId };
      const { body, context, isError, text } = await ask(it.tool, argumentsOf(it, given));
      expect(isError, text).toBe(false);
      const { outputSchema } = await schemasOf(server(), it.tool);
      expect(problemWith(outputSchema, body)).toBeUndefined();
      // The same schema, closed: a field that it does not name is refused.
      expect(problemWith(z.toJSONSchema(finishedContext), context)).toBeUndefined();
    },
  );

  test('takes ids as texts and as numbers, and no other argument', async () => {
    const { inputSchema } = await schemasOf(server(), 'list_orders');
    expect(inputSchema).toMatchObject({
      properties: { shop_id: { type: ['string', 'integer'] } },
      additionalProperties: false,
    });
  });

  test('names the columns that the platform describes beside those of the documentation', async () => {
    const orders = rowsOf(await schemasOf(server(), 'list_orders'));
    expect(orders.properties).toMatchObject({
      id: { type: ['integer', 'string', 'null'] },
      status: { type: ['string', 'null'] },
      total_wt: { type: ['number', 'string', 'null'] },
      is_paid: { type: ['boolean', 'null'] },
      date_created: { type: ['string', 'null'], format: 'date-time' },
    });
    expect(fieldsOf(rowsOf(await schemasOf(server(), 'list_locations')))).toContain('address.city');
  });

  test('names the documented fields where the platform describes none', async () => {
    const bare = await serverOver('memory', { description: 'none', ordersPerDay: 1 });
    const rows = rowsOf(await schemasOf(bare, 'list_orders'));
    expect(fieldsOf(rows)).toEqual([
      ...['id', 'order_number', 'relation_data_id', 'shop_id', 'discount_value_wt'],
      'date_updated',
    ]);
  });

  test('names what this account has shown, each with the types of its values', async () => {
    const renameFields = { total_wt: 'amount_incl', order_number: 'reference' };
    const bare = await serverOver('memory', { description: 'none', renameFields });
    const [before] = [rowsOf(await schemasOf(bare, 'list_orders'))];
    expect(fieldsOf(before)).not.toContain('amount_incl');
    const { body } = await bare.ask('list_orders', { period: 'last_week', all: true });
    await bare.ask('get_order', { order_id: anOrder(bare.sandbox.world) });
    const rows = rowsOf(await schemasOf(bare, 'list_orders'));
    expect(rows.properties).toMatchObject({
      amount_incl: { type: ['number', 'string', 'null'] },
      // A number in most rows.
      reference: { type: ['string', 'null', 'integer'] },
      date_created: { type: ['string', 'null'], format: 'date-time' },
    });
    expect(problemWith({ type: 'array', items: rows }, body.data)).toBeUndefined();
    const { outputSchema } = await schemasOf(bare, 'get_order');
    expect(fieldsOf(outputSchema)).toContain('billing_address.city');
  });

  test('names no column about customers to a caller who may not see them', async () => {
    const settings = { COMMERCE_TOOLSETS: 'orders' };
    const orders = await serverOver('memory', { settings, ordersPerDay: 1 });
    const seen = fieldsOf(rowsOf(await schemasOf(orders, 'list_orders')));
    expect(seen).toContain('total_wt');
    expect(seen).not.toContain('customer_name');
    expect(fieldsOf(rowsOf(await schemasOf(server(), 'list_orders')))).toContain('customer_name');
    await expect(schemasOf(orders, 'get_customer')).rejects.toThrow('no tool "get_customer"');
  });

  test('says which tool is meant, and completes its name', async () => {
    await expect(schemasOf(server(), 'list_order')).rejects.toThrow(
      unknownName('tool', 'list_order', ['list_orders']).text,
    );
    const completed = await server().complete('commerce://schemas/{tool}', 'tool', 'get_d');
    expect(completed).toEqual(['get_daily_close']);
  });
});
