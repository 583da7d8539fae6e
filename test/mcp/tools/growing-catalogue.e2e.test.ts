import { describe, expect, test } from 'vitest';
import { isRecord } from '../../../src/core/json.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { type Connection, clients } from '../clients.ts';
import { connectInMemory } from '../in-memory-server.ts';
import { account } from '../spawn.ts';

const [oldest, , negotiating] = clients;

type Connect = (sandbox: Sandbox) => Promise<Connection>;

const inMemory: Connect = (sandbox) => connectInMemory(sandbox, { now: Date.now });

/** Starts the built server for a client. */
const spawned =
  (client: (typeof clients)[number] | undefined): Connect =>
  (sandbox) =>
    client?.connect({ args: ['stdio'], settings: account(sandbox) }) ?? expect.unreachable();

/** Runs with a sandbox of its own and a client that hears of changes. */
async function withServer(
  options: SandboxOptions,
  connect: Connect,
  use: (
    connection: Connection,
    stock: () => Promise<string[]>,
    changed: Promise<void>,
  ) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox(options);
  const connection = await connect(sandbox);
  const changed = new Promise<void>((resolve) => connection.onToolsChanged(resolve));
  const stock = async () => {
    const { tools } = await connection.listTools();
    const tool = tools.find(({ name }) => name === 'list_stock');
    return Object.keys(tool?.inputSchema.properties ?? {});
  };
  try {
    await use(connection, stock, changed);
  } finally {
    await connection.close();
    await sandbox.close();
  }
}

/** The parameters once they are complete: a machine that is busy may hand them in later. */
async function atLast(stock: () => Promise<string[]>, changed: Promise<void>): Promise<string[]> {
  const first = await stock();
  if (first.length > documented.length) return first;
  await changed;
  return stock();
}

const documented = ['location_id', 'fields', 'sort', 'top', 'limit'];
const completed = [...documented, 'product_id', 'start', 'all'];

describe("with the platform's own description", () => {
  test('at hand, the list of tools is complete', () =>
    withServer({}, inMemory, async (connection, stock, changed) => {
      expect(await atLast(stock, changed)).toEqual(completed);
      const { rows } = await connection.call('list_stock', { product_id: 1001 });
      expect(new Set(rows.map(({ product_id }) => product_id))).toEqual(new Set([1001]));
    }));

  test.each([oldest, negotiating])('late, the tools change for $name when it comes', (client) =>
    withServer(
      { faults: 'slow:ms=2500,path=/openapi.json' },
      spawned(client),
      async (_, stock, changed) => {
        expect(await stock()).toEqual(documented);
        await changed;
        expect(await stock()).toEqual(completed);
      },
    ),
  );

  test('absent, the documented parameters serve', () =>
    withServer({ openapi: false }, inMemory, async (connection, stock) => {
      expect(await stock()).toEqual(documented);
      const answer = await connection.call('get_product_sales', { period: 'yesterday' });
      expect(answer.isError, answer.text).toBe(false);
    }));

  test.each(['html', 'body=cut', '500'])('broken (%s), they serve as well', (fault) =>
    withServer({ faults: `${fault}:path=/openapi.json` }, inMemory, async (_, stock) => {
      expect(await stock()).toEqual(documented);
    }),
  );

  test('changed, a new parameter is described and checked', () =>
    withServer({ openapi: withSupplier }, inMemory, async (connection, stock, changed) => {
      expect(new Set(await atLast(stock, changed))).toEqual(new Set([...completed, 'supplier']));
      const wrong = await connection.call('list_stock', { supplier: 'nobody' });
      expect(wrong.text).toContain('supplier must be one of own, external');
      const right = await connection.call('list_stock', { supplier: 'own', limit: 1 });
      expect(right).toMatchObject({ isError: false });
    }));
});

describe('a list that turns out to be paged', () => {
  test('is followed to its end and takes start, limit and all from then on', () =>
    withServer({ openapi: false }, inMemory, async (connection, stock, changed) => {
      const first = await connection.call('list_stock', { fields: ['product_id', 'location_id'] });
      const total = Number(first.structured.total);
      expect(first.rows.length).toBeLessThan(total);
      expect(first.context).toMatchObject({
        complete: false,
        next: { tool: 'list_stock', arguments: { start: first.rows.length } },
      });
      await changed;
      expect(await stock()).toEqual([...documented, 'start', 'all']);
      const next = isRecord(first.context.next) ? first.context.next.arguments : {};
      const second = await connection.call('list_stock', isRecord(next) ? next : {});
      expect(second.rows[0]).not.toEqual(first.rows[0]);
      const all = await connection.call('list_stock', { all: true });
      expect(all.context).toMatchObject({ result: { rows: total } });
    }));
});

/** openapi.json with one more parameter of /api/stock. */
function withSupplier(document: unknown): unknown {
  const copy = structuredClone(document);
  const paths = isRecord(copy) && isRecord(copy.paths) ? copy.paths : {};
  const stock = isRecord(paths['/api/stock']) ? paths['/api/stock'].get : undefined;
  if (isRecord(stock) && Array.isArray(stock.parameters))
    stock.parameters.push({
      name: 'supplier',
      in: 'query',
      description: 'Who supplies it',
      schema: { type: 'string', enum: ['own', 'external'] },
    });
  return copy;
}
