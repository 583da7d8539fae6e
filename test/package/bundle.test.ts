import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { listSettings } from '../../src/config.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { sandboxAt } from '../server-over.ts';

/** What a desktop client reads of the manifest to start the server (MCPB, manifest version 0.3). */
const manifestSchema = z.looseObject({
  manifest_version: z.literal('0.3'),
  name: z.literal('commerce-mcp'),
  version: z.string(),
  icon: z.string(),
  compatibility: z.looseObject({ platforms: z.tuple([z.string()]) }),
  server: z.strictObject({
    type: z.literal('node'),
    entry_point: z.string(),
    mcp_config: z.strictObject({
      command: z.literal('node'),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    }),
  }),
  user_config: z.record(
    z.string(),
    z.strictObject({
      type: z.enum(['string', 'boolean']),
      title: z.string().min(1),
      description: z.string().min(1),
      // The sandbox needs none of them.
      required: z.literal(false),
      sensitive: z.literal(true).optional(),
      default: z.union([z.string(), z.boolean()]).optional(),
    }),
  ),
  tools: z.array(z.strictObject({ name: z.string(), description: z.string() })),
  prompts: z.array(z.looseObject({ name: z.string() })),
});

describe('the desktop bundle', () => {
  let folder: string;
  let sandbox: Sandbox;
  let manifest: z.output<typeof manifestSchema>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bundle-'));
    const dist = join(inject('packageFolder'), 'dist');
    const args = ['scripts/bundle.mjs', '--stage', folder, '--dist', dist];
    await promisify(execFile)(process.execPath, args);
    manifest = manifestSchema.parse(
      JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')),
    );
    sandbox = await sandboxAt({ now: Date.now });
  });

  afterAll(() => rm(folder, { recursive: true }));

  test('holds what is needed and nothing else, and is small but for the query engine', async () => {
    expect((await readdir(folder)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'definitions',
      'dist',
      'icon.png',
      'manifest.json',
      'node_modules',
      'package.json',
      'prompts',
    ]);
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      files
        .filter((file) => file.isFile() && !file.parentPath.includes('node_modules'))
        .map(async (file) => (await stat(join(file.parentPath, file.name))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(8_000_000);
  });

  test('holds the engine of one platform, and says so', async () => {
    const parts = await readdir(join(folder, 'node_modules/@duckdb'));
    const native = parts.filter((name) => /^node-bindings-/.test(name));
    expect(native).toEqual([expect.stringContaining(`${process.platform}-${process.arch}`)]);
    expect(manifest.compatibility.platforms).toEqual([process.platform]);
  });

  test('starts as the manifest says, with what a user fills in, and offers what it promises', async () => {
    await using server = await connect(manifest, folder, {
      base_url: sandbox.baseUrl,
      auth_url: sandbox.authUrl,
      client_id: sandbox.clientId,
      client_secret: sandbox.clientSecret,
    });
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(manifest.tools.map(({ name }) => name));
    const { prompts } = await server.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(manifest.prompts.map(({ name }) => name));
    const answer = await server.client.callTool({
      name: 'get_daily_close',
      arguments: { date: 'yesterday' },
    });
    expect(answer.structuredContent).toHaveProperty('turnover_wt');
    const counted = await server.client.callTool({
      name: 'query',
      arguments: { sql: 'SELECT count(*) AS shops FROM shops' },
    });
    expect(counted.structuredContent).toMatchObject({ data: [{ shops: expect.any(Number) }] });
  });

  test('needs no credentials where its switch for the sandbox is on', async () => {
    await using server = await connect(manifest, folder, { sandbox: 'true' });
    const { structuredContent } = await server.client.callTool({ name: 'list_shops' });
    expect(structuredContent).toMatchObject({ context: { source: 'sandbox' } });
  });

  test('asks for the secret as a secret, and for settings that exist', () => {
    const { env } = manifest.server.mcp_config;
    const variables = listSettings().map(({ setting }) => setting);
    for (const [variable, value] of Object.entries(env)) {
      const setting = variables.find((it) => it.variable === variable);
      const field = manifest.user_config[/^\$\{user_config\.(\w+)\}$/.exec(value)?.[1] ?? ''];
      expect(setting, variable).toBeDefined();
      expect(field?.sensitive, variable).toBe(setting?.secret);
      expect(field?.default, variable).toBe(setting?.standard);
    }
    const { sandbox: _, ...fields } = manifest.user_config;
    expect(Object.keys(env)).toHaveLength(Object.keys(fields).length);
  });
});

/** Starts the server as a desktop client does: variables substituted, only Node to be found. */
async function connect(
  { server, user_config }: z.output<typeof manifestSchema>,
  folder: string,
  given: Record<string, string>,
): Promise<{ client: Client } & AsyncDisposable> {
  const values = Object.fromEntries(
    Object.entries(user_config).map(([key, field]) => [key, given[key] ?? field.default]),
  );
  const substitute = (text: string) =>
    text
      .replace(/\$\{__dirname\}/g, () => folder)
      .replace(/\$\{user_config\.(\w+)\}/g, (reference, key: string) =>
        String(values[key] ?? reference),
      );
  const { command, args, env } = server.mcp_config;
  const client = new Client({ name: 'desktop', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command,
      args: args.map(substitute),
      env: {
        PATH: dirname(process.execPath),
        NODE_OPTIONS: process.env.NODE_OPTIONS ?? '',
        ...Object.fromEntries(Object.entries(env).map(([name, text]) => [name, substitute(text)])),
      },
    }),
  );
  return { client, [Symbol.asyncDispose]: () => client.close() };
}
