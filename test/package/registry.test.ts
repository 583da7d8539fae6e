import { execFile } from 'node:child_process';
import { cp, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { settings } from '../../src/config/config.ts';
import { folderWith } from '../setup/folder.ts';

/** What this schema asks of the fields that are used here, and what the registry asks of npm packages. */
const schema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const serverSchema = z.strictObject({
  $schema: z.literal(schema),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/),
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal('npm'),
      identifier: z.string(),
      version: z.string(),
      runtimeHint: z.literal('npx'),
      transport: z.strictObject({ type: z.literal('stdio') }),
      environmentVariables: z.array(
        z.strictObject({
          name: z.string(),
          description: z.string().min(1),
          isRequired: z.boolean(),
          isSecret: z.boolean(),
          default: z.string().optional(),
        }),
      ),
    }),
  ]),
});

/** What `npm run docs` reads and writes. */
const sources = [
  ...['README.md', 'package.json', 'server.json', 'manifest.json', 'tsconfig.json'],
  ...['docs', 'prompts', 'scripts', 'src'],
];

/** What a clone tells people to start, and what only a published package may. */
const [cloned, fetched] = [/node dist\/cli\.js/, /npx -y @commerce-mcp\/server/];

describe('server.json', () => {
  let folder: string;
  let server: z.output<typeof serverSchema>;

  beforeAll(async () => {
    // As docs/publishing.md turns it, once the package is its owner's.
    folder = folderWith();
    for (const path of sources) await cp(path, join(folder, path), { recursive: true });
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
    await turn('--published');
    server = serverSchema.parse(await json('server.json'));
  }, 60_000);

  async function turn(flag: string): Promise<void> {
    await promisify(execFile)(process.execPath, ['scripts/docs.mjs', flag], { cwd: folder });
  }

  async function json(file: string): Promise<unknown> {
    return JSON.parse(await readFile(join(folder, file), 'utf8'));
  }

  test('server.json names no package before it is published', async () => {
    if (packageJson.published) return;
    expect(JSON.parse(await readFile('server.json', 'utf8'))).not.toHaveProperty('packages');
  });

  test('every document turns to the published form, and back', async () => {
    for (const file of ['README.md', 'docs/clients.md']) {
      const text = await readFile(join(folder, file), 'utf8');
      expect(text).toMatch(fetched);
      expect(text).not.toMatch(cloned);
    }
    expect(await json('package.json')).toEqual({ ...packageJson, published: true });
    await turn('--unpublished');
    for (const file of ['README.md', 'docs/clients.md', 'server.json', 'package.json'])
      expect(await readFile(join(folder, file), 'utf8')).toBe(await readFile(file, 'utf8'));
  }, 60_000);

  test('server.json is in step with the package', () => {
    const [{ identifier, version }] = server.packages;
    expect(server.name).toBe(packageJson.mcpName);
    expect(identifier).toBe(packageJson.name);
    expect([server.version, version]).toEqual([packageJson.version, packageJson.version]);
    expect(packageJson.publishConfig).toEqual({ access: 'public', provenance: true });
  });

  test('server.json names settings that exist, the required ones and the secrets as such', () => {
    const [{ environmentVariables }] = server.packages;
    for (const { name, isRequired, isSecret } of environmentVariables) {
      const setting = settings.find(({ variable }) => variable === name);
      expect(setting, name).toBeDefined();
      expect(isSecret, name).toBe(setting?.flag === undefined);
      expect(isRequired, name).toBe(setting?.default === undefined && !setting?.optional);
    }
    expect(environmentVariables.filter(({ isRequired }) => isRequired)).toHaveLength(4);
  });
});
