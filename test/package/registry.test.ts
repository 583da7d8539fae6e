import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listSettings } from '../../src/config.ts';

/**
 * What https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json asks of the
 * fields that are used here, and what the registry asks of npm packages.
 */
const serverSchema = z.strictObject({
  $schema: z.literal(
    'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  ),
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

const packageSchema = z.looseObject({
  name: z.string(),
  mcpName: z.string(),
  version: z.string(),
  publishConfig: z.strictObject({ access: z.literal('public'), provenance: z.literal(true) }),
});

describe('server.json', () => {
  let server: z.output<typeof serverSchema>;
  let manifest: z.output<typeof packageSchema>;

  beforeAll(async () => {
    server = serverSchema.parse(JSON.parse(await readFile('server.json', 'utf8')));
    manifest = packageSchema.parse(JSON.parse(await readFile('package.json', 'utf8')));
  });

  test('is in step with the package', () => {
    const [{ identifier, version }] = server.packages;
    expect(server.name).toBe(manifest.mcpName);
    expect(identifier).toBe(manifest.name);
    expect([server.version, version]).toEqual([manifest.version, manifest.version]);
  });

  test('names settings that exist, the required ones and the secrets as such', () => {
    const [{ environmentVariables }] = server.packages;
    const settings = listSettings().map(({ setting }) => setting);
    for (const { name, isRequired, isSecret } of environmentVariables) {
      const setting = settings.find(({ variable }) => variable === name);
      expect(setting, name).toBeDefined();
      expect(isSecret, name).toBe(setting?.secret === true);
      expect(isRequired, name).toBe(setting?.standard === undefined && !setting?.optional);
    }
    expect(environmentVariables.filter(({ isRequired }) => isRequired)).toHaveLength(4);
  });
});
