import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { settings } from '../../src/config/config.ts';
import { type Connection, connectAs } from '../clients.ts';
import { sandboxAt } from '../server-over.ts';
import { closeAfterwards } from '../setup/closing.ts';
import { folderWith } from '../setup/folder.ts';

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
      type: z.enum(['string', 'boolean', 'directory']),
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
  let manifest: z.output<typeof manifestSchema>;

  beforeAll(async () => {
    folder = folderWith();
    const dist = join(inject('packageFolder'), 'dist');
    const args = ['scripts/bundle.mjs', '--stage', folder, '--dist', dist];
    await promisify(execFile)(process.execPath, args);
    const text = await readFile(join(folder, 'manifest.json'), 'utf8');
    manifest = manifestSchema.parse(JSON.parse(text));
  });

  test('the bundle holds what is needed and nothing else, and is small except for the query engine', async () => {
    const files = ['LICENSE', 'README.md', 'icon.png', 'manifest.json', 'package.json'];
    const folders = ['briefs', 'definitions', 'dist', 'node_modules', 'prompts'];
    expect((await readdir(folder)).sort()).toEqual([...files, ...folders].sort());
    const names = await readdir(folder, { recursive: true });
    const ours = names.filter((name) => !name.includes('node_modules'));
    expect(ours.filter((name) => name.endsWith('.map'))).toEqual([]);
    const found = await Promise.all(ours.map((name) => stat(join(folder, name))));
    expect(found.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(8_000_000);
  });

  test('the bundle holds the engine of one platform, and says so', async () => {
    const parts = await readdir(join(folder, 'node_modules/@duckdb'));
    const native = parts.filter((name) => /^node-bindings-/.test(name));
    expect(native).toEqual([expect.stringContaining(`${process.platform}-${process.arch}`)]);
    expect(manifest.compatibility.platforms).toEqual([process.platform]);
  });

  test('the bundle starts as its manifest says, with what a user fills in, and offers what it promises', async () => {
    const { baseUrl, authUrl, clientId, clientSecret } = await sandboxAt({ now: Date.now });
    const address = { base_url: baseUrl, auth_url: authUrl };
    const server = await connect({ ...address, client_id: clientId, client_secret: clientSecret });
    const { tools } = await server.listTools();
    expect(tools.map(({ name }) => name)).toEqual(manifest.tools.map(({ name }) => name));
    const { prompts } = await server.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(manifest.prompts.map(({ name }) => name));
    const { body } = await server.call('get_daily_close', { date: 'yesterday' });
    expect(body).toHaveProperty('turnover_wt');
    const counted = await server.call('query', { sql: 'SELECT count(*) AS shops FROM shops' });
    expect(counted.rows).toEqual([{ shops: expect.any(Number) }]);
  });

  test('the bundle needs no credentials where its switch for the sandbox is on', async () => {
    const server = await connect({ sandbox: 'true' });
    expect((await server.call('list_shops')).context).toMatchObject({ source: 'sandbox' });
  });

  test('the manifest asks for the secret as a secret, and for settings that exist', () => {
    const { env } = manifest.server.mcp_config;
    for (const [variable, value] of Object.entries(env)) {
      const setting = settings.find((it) => it.variable === variable);
      const field = manifest.user_config[/^\$\{user_config\.(\w+)\}$/.exec(value)?.[1] ?? ''];
      expect(setting, variable).toBeDefined();
      expect(field?.sensitive ?? false, variable).toBe(setting?.flag === undefined);
      expect(field?.default, variable).toBe(setting?.default);
    }
    const { sandbox: _, ...fields } = manifest.user_config;
    expect(Object.keys(env)).toHaveLength(Object.keys(fields).length);
  });

  /** Starts the server as a desktop client does: variables substituted, only Node to be found. */
  async function connect(given: Record<string, string>): Promise<Connection> {
    const { server, user_config } = manifest;
    const substitute = (text: string) =>
      text
        .replace(/\$\{__dirname\}/g, () => folder)
        .replace(/\$\{user_config\.(\w+)\}/g, (reference, key: string) =>
          String(given[key] ?? user_config[key]?.default ?? reference),
        );
    const { command, args, env } = server.mcp_config;
    const settings = Object.entries(env).map(([name, text]) => [name, substitute(text)]);
    const { NODE_OPTIONS = '' } = process.env;
    const own = { PATH: dirname(process.execPath), NODE_OPTIONS };
    const connection = await connectAs('the 2.x client', {
      command,
      args: args.map(substitute),
      env: { ...own, ...Object.fromEntries(settings) },
      stderr: 'pipe',
      onPrinted: () => {},
    });
    closeAfterwards(connection.close);
    return connection;
  }
});
