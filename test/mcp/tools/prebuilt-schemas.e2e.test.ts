import { describe, expect, test } from 'vitest';
import { toolsets } from '../../../src/endpoints/define.ts';
import { documentedCatalogue } from '../../../src/mcp/tools/catalogue.ts';
import { listTools } from '../../../src/mcp/tools/list-tools.ts';
import { prebuiltSchemas } from '../../../src/mcp/tools/prebuilt-schemas.ts';
import { run } from '../spawn.ts';

describe('the schemas that the build converted', () => {
  test('are none when run from source, where they would go stale', () => {
    expect(prebuiltSchemas).toEqual({});
  });

  test('equal those that are converted live', async () => {
    const { stdout, code } = await run(['tools', '--json']);
    expect(code).toBe(0);
    const { tools }: { tools: { _meta?: unknown }[] } = JSON.parse(stdout);
    // Where a tool's view lies is another matter than its schemas.
    const bare = tools.map(({ _meta: _, ...tool }) => tool);
    expect(bare).toEqual(listTools(documentedCatalogue(toolsets)));
  });
});
