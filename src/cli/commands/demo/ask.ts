import type { Client } from '@modelcontextprotocol/client';
import { paint } from '../../terminal/paint.ts';
import { wrap } from '../../terminal/wrap.ts';

/** A tool's answer, and the call as the demo shows it. */
export async function askTool(
  client: Client,
  name: string,
  input: Record<string, unknown>,
): Promise<{ lines: string[]; answer: unknown; error: string }> {
  const result = await client.callTool({ name, arguments: input });
  const given = Object.entries(input).map(([key, value]) => `${key}=${String(value)}`);
  const [first] = result.content;
  return {
    lines: wrap(`calls ${name} ${given.join(' ')}`, 76).map((line) => paint('dim', line)),
    answer: result.structuredContent,
    error: result.isError && first?.type === 'text' ? first.text : '',
  };
}

/** An amount with its cents. */
export function euros(value: number | null): string {
  return value === null
    ? 'none'
    : value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
