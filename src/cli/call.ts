import { ProtocolError } from '@modelcontextprotocol/server';
import { isRecord, parseJson } from '../core/json.ts';
import { callTool } from '../mcp/tools.ts';
import { type CommandLine, UsageError } from './arguments.ts';
import { openApp } from './open.ts';
import { untilAsked } from './signals.ts';

/** Calls one tool and prints its answer: as text, or with `--json` the structured answer exactly. */
export async function call({ operands, values, switches }: CommandLine): Promise<0 | 1> {
  const [tool, ...pairs] = operands;
  if (tool === undefined)
    throw new UsageError('call needs a tool: commerce-mcp call get_daily_close date=yesterday');
  const input = readPairs(pairs);
  const { app, close } = await openApp({
    env: process.env,
    flags: values,
    sandbox: switches.has('sandbox'),
  });
  const stopped = new AbortController();
  untilAsked().then(() => stopped.abort());
  try {
    const result = await callTool(app, tool, input, {
      signal: stopped.signal,
      onProgress: ({ message }) => showProgress(message),
    });
    clearProgress();
    const texts = (result.content ?? []).flatMap((block) =>
      block.type === 'text' ? [block.text] : [],
    );
    if (result.isError) {
      console.error(texts.join('\n'));
      return 1;
    }
    console.log(switches.has('json') ? JSON.stringify(result.structuredContent) : texts.join('\n'));
    return 0;
  } catch (error) {
    if (error instanceof ProtocolError) throw new UsageError(error.message);
    throw error;
  } finally {
    await close();
  }
}

/** `key=value` pairs; a value that is JSON counts as what it encodes. */
function readPairs(pairs: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`"${pair}" is not key=value, such as period=last_week`);
      const text = pair.slice(at + 1);
      const parsed = parseJson(text);
      const isCompound = Array.isArray(parsed) || isRecord(parsed);
      return [pair.slice(0, at), isCompound ? parsed : text];
    }),
  );
}

function showProgress(message: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${message}`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}
