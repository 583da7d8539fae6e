import { describe, expect, test } from 'vitest';
import { toolsets } from '../../src/endpoints/define.ts';
import { convertedSchemas } from '../../src/mcp/converted-schemas.ts';
import { documentedCatalogue } from '../../src/mcp/documented-catalogue.ts';
import { listTools } from '../../src/mcp/tools.ts';
import { run } from './spawn.ts';

describe('the schemas that the build converted', () => {
  test('are none when run from source, where they would go stale', () => {
    expect(convertedSchemas).toEqual({});
  });

  test('equal those that are converted live', async () => {
    const { stdout, code } = await run(['tools', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ tools: listTools(documentedCatalogue(toolsets)) });
  });
});
