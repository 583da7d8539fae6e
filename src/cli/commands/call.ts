import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { toolsets } from '../../endpoints/define.ts';
import type { App } from '../../mcp/app/app.ts';
import { callTool, unknownTool } from '../../mcp/server/call-tool.ts';
import { documentedCatalogue } from '../../mcp/tools/catalogue.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { openApp } from '../open-app.ts';
import { readPairs } from '../pairs.ts';
import { untilAsked } from '../signals.ts';
import { paint } from '../terminal/paint.ts';
import { openStatusLine } from '../terminal/status-line.ts';

/**
 * Calls one tool and prints its answer: as a table in a terminal, as the text that a model reads in a
 * pipe, or with `--json` the structured answer exactly.
 */
export async function call({ operands, values, switches }: CommandLine): Promise<0 | 1> {
  const [tool, ...pairs] = operands;
  if (tool === undefined)
    throw new UsageError('call needs a tool: commerce-mcp call get_daily_close date=yesterday');
  const input = readPairs(pairs);
  // A mistyped name is said before anything is configured or asked.
  const documented = documentedCatalogue(toolsets);
  if (documented.find(tool) === undefined)
    throw new UsageError(unknownTool(documented, tool).message);
  const { app, close } = await openApp({
    env: process.env,
    flags: values,
    sandbox: switches.has('sandbox'),
  });
  const stopped = new AbortController();
  untilAsked().then(() => stopped.abort());
  const status = openStatusLine();
  try {
    const result = await callTool(app, tool, input, {
      signal: stopped.signal,
      onProgress: status.report,
    });
    status.clear();
    if (result.isError) {
      console.error(paint('red', textOf(result), process.stderr));
      return 1;
    }
    console.log(await show(app, result, { tool, input, switches }));
    return 0;
  } catch (error) {
    if (error instanceof ProtocolError) throw new UsageError(error.message);
    throw error;
  } finally {
    status.clear();
    await close();
  }
}

async function show(
  app: App,
  result: CallToolResult,
  { tool, input, switches }: { tool: string; input: JsonObject; switches: CommandLine['switches'] },
): Promise<string> {
  const { structuredContent } = result;
  if (switches.has('json')) return JSON.stringify(structuredContent);
  const text = textOf(result);
  if (!process.stdout.isTTY || !isRecord(structuredContent)) return text;
  const { viewAnswer } = await import('../terminal/view/answer.ts');
  const taken = app.catalogue.find(tool)?.inputSchema.properties ?? {};
  return viewAnswer({
    tool,
    input,
    flags: switches.has('sandbox') ? ['--sandbox'] : [],
    isPaged: 'start' in taken,
    takesFields: 'fields' in taken,
    structured: structuredContent,
    headline: text.split('\n', 1)[0] ?? '',
    width: process.stdout.columns || 80,
  }).join('\n');
}

function textOf({ content = [] }: CallToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
