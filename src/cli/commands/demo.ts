import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { version } from '../../core/program.ts';
import type { CommandLine } from '../command-line.ts';
import { ownCommand, programPath } from '../program.ts';
import { alignAnswer } from '../terminal/table.ts';
import { wrap } from '../terminal/text.ts';
import { resultText } from './call.ts';
import questions from './demo.json' with { type: 'json' };

/**
 * Shows the view of an assistant: a real MCP client starts this program on the sandbox and asks it an analyst's
 * questions.
 */
export async function demo({ flags: { description = 'full' } }: CommandLine): Promise<0> {
  const client = new Client({ name: 'commerce-mcp-demo', version });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programPath(), 'stdio', '--sandbox', '--description', description],
    stderr: 'inherit',
  });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    console.log(`commerce-mcp: an analyst asks, the platform answers

A real MCP client is connected over stdio to a server with ${tools.length} tools. The
platform behind it is the embedded sandbox, a Dutch shop and restaurant
business: every figure is invented.`);
    // Some tools are missing without the query engine.
    for (const scene of scenes.filter(([, tool]) => tools.some(({ name }) => name === tool))) {
      console.log(`\n${scene[0]}`);
      const lines = await ask(client, scene);
      console.log(lines.map((line) => `  ${line}`.trimEnd()).join('\n'));
    }
    console.log(`
What next
  ${ownCommand()} brief morning --sandbox  # what a manager asks each morning
  ${ownCommand()} call get_daily_close date=yesterday --sandbox  # one tool
  ${ownCommand()} tools --sandbox  # all of them, and what each costs
  ${ownCommand()} connect  # the clients on this machine
  ${ownCommand()} doctor  # is all well, and what to do`);
    return 0;
  } finally {
    await client.close();
  }
}

const scene = z.tuple([z.string(), z.string(), z.record(z.string(), z.unknown())]);

/** The questions of the demo in order, each with the call that answers it. */
export const scenes = z.array(scene).parse(questions);

/** Characters in a line of an answer, which is indented by two. */
const width = () => Math.max(78, (process.stdout.columns || 80) - 2);

/** The lines of a call and its answer, as a terminal shows them. */
export async function ask(
  client: Client,
  [, name, input]: z.output<typeof scene>,
  columns = width(),
): Promise<string[]> {
  const result = await client.callTool({ name, arguments: input });
  const args = Object.entries(input).map(([key, value]) => `${key}=${String(value)}`);
  const callLines = wrap(`calls ${name} ${args.join(' ')}`, columns);
  const lines = alignAnswer(resultText(result), columns).split('\n');
  return [...callLines, ...lines];
}
