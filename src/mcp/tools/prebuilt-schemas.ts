import type { ToolSchemas } from './json-schema.ts';

/**
 * The schemas of the documented tools, by tool. The build fills this in (scripts/build.mjs), so that
 * the first `tools/list` need not wait for their conversion; run from source, it is empty.
 */
export const prebuiltSchemas: Readonly<Record<string, ToolSchemas>> = {};
