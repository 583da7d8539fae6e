import { isRecord } from '../../../core/json.ts';
import { callTool } from '../../../mcp/server/call-tool.ts';
import { openApp } from '../../open-app.ts';

/** The list whose names an argument takes. */
const lists: Readonly<Record<string, string>> = {
  shop_id: 'list_shops',
  location_id: 'list_locations',
  segment_id: 'list_customer_segments',
  product_group_id: 'list_turnover_groups',
};

/** Nobody waits longer for a key that is pressed. */
const patienceMs = 3000;

/** The names that an argument takes, of the sandbox or the account; none where neither can be asked. */
export async function namesFor(
  argument: string,
  { isSandbox, env }: { isSandbox: boolean; env: Readonly<Record<string, string | undefined>> },
): Promise<string[]> {
  const tool = lists[argument];
  if (tool === undefined || (!isSandbox && !env.COMMERCE_BASE_URL)) return [];
  try {
    const { app, close } = await openApp({
      env,
      values: { 'log-level': 'silent' },
      switches: new Set(isSandbox ? ['sandbox'] : []),
    });
    try {
      const signal = AbortSignal.timeout(patienceMs);
      const { structuredContent } = await callTool(app, tool, {}, { signal });
      const rows = isRecord(structuredContent) ? structuredContent.data : undefined;
      return (Array.isArray(rows) ? rows : []).flatMap((row: unknown) =>
        isRecord(row) && typeof row.name === 'string' ? [row.name] : [],
      );
    } finally {
      await close();
    }
  } catch {
    // A wrong setting or an account out of reach is said by the command itself.
    return [];
  }
}
