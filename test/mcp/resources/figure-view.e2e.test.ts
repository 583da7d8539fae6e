import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRecord } from '../../../src/core/json.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { type Connection, clients } from '../clients.ts';
import { httpClients } from '../http/clients.ts';
import { account } from '../spawn.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const mimeType = 'text/html;profile=mcp-app';

describe.each([...clients, ...httpClients])('the page of figures with $name', ({ connect }) => {
  let connection: Connection;
  beforeAll(async () => {
    connection = await connect({ args: ['stdio'], settings: account(sandbox) });
  });
  afterAll(() => connection.close());

  async function addressOnTool(): Promise<string> {
    const { tools } = await connection.listTools();
    const tool = tools.find(({ name }) => name === 'show_figure');
    const address = isRecord(tool?._meta) ? String(tool._meta['ui/resourceUri']) : '';
    expect(tool?._meta).toEqual({ ui: { resourceUri: address }, 'ui/resourceUri': address });
    expect(address).toMatch(/^ui:\/\/commerce-mcp\/figure-[0-9a-f]{8}\.html$/);
    return address;
  }

  test('is named by one tool and no other', async () => {
    await addressOnTool();
    const { tools } = await connection.listTools();
    expect(tools.filter(({ _meta }) => _meta !== undefined)).toHaveLength(1);
  });

  test('is announced by the server to whoever connects', () => {
    expect(connection.extensions()).toEqual({
      'io.modelcontextprotocol/ui': { mimeTypes: [mimeType] },
    });
  });

  test('says the same of itself on its listing and on its content', async () => {
    const uri = await addressOnTool();
    const { resources } = await connection.listResources();
    const _meta = { ui: { prefersBorder: true } };
    expect(resources.find((resource) => resource.uri === uri)).toMatchObject({ mimeType, _meta });
    const [content] = await connection.read(uri);
    expect(content).toMatchObject({ uri, mimeType, meta: _meta });
    expect(content?.text).toMatch(/^<!doctype html>/i);
  });

  test('is served under the address of an earlier build too, and under no other', async () => {
    const [content] = await connection.read('ui://commerce-mcp/figure-01234567.html');
    expect(content).toMatchObject({ uri: 'ui://commerce-mcp/figure-01234567.html', mimeType });
    await expect(connection.read('ui://commerce-mcp/figure-../secret.html')).rejects.toThrow();
  });
});

test('the page of figures is not there for those without its tool', async () => {
  const [first] = clients;
  const connection = await first?.connect({
    args: ['stdio', '--toolsets', 'reference'],
    settings: account(sandbox),
  });
  try {
    const listed = await connection?.listResources();
    expect(listed?.resources.filter(({ uri }) => uri.startsWith('ui:'))).toEqual([]);
    await expect(connection?.read('ui://commerce-mcp/figure-01234567.html')).rejects.toThrow();
  } finally {
    await connection?.close();
  }
});
