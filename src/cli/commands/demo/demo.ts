import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { CommandLine } from '../../command-line.ts';
import { version } from '../../open-app.ts';
import { paint } from '../../terminal/paint.ts';
import { scenes } from './scenes.ts';

/**
 * Shows what an assistant sees: starts this very program as a server on the sandbox, connects a real
 * MCP client over stdio and asks it an analyst's questions.
 */
export async function demo(_: CommandLine): Promise<0> {
  const program = fileURLToPath(import.meta.url).replace(/chunks[\\/][^\\/]*$/, 'cli.js');
  const client = new Client({ name: 'commerce-mcp-demo', version });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'stdio', '--sandbox'],
    stderr: 'inherit',
  });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    const { resources } = await client.listResources();
    const { prompts } = await client.listPrompts();
    const server = client.getServerVersion();
    console.log(
      [
        paint('bold', 'commerce-mcp: an analyst asks, the platform answers'),
        '',
        `A real MCP client is connected over stdio to ${server?.name} ${server?.version}:`,
        `${tools.length} tools, ${resources.length} resources, ${prompts.length} prompts. The platform behind it is the embedded`,
        'sandbox, a Dutch shop and restaurant business: every figure is invented.',
      ].join('\n'),
    );
    for (const scene of scenes) {
      // Without the query engine a few tools are not offered.
      if (scene.tool && !tools.some(({ name }) => name === scene.tool)) continue;
      console.log(`\n${paint('bold', scene.question)}`);
      const lines = await scene.ask(client);
      console.log(lines.map((line) => `  ${line}`.trimEnd()).join('\n'));
    }
    console.log(
      [
        '',
        paint('bold', 'What next'),
        '  commerce-mcp call get_daily_close date=yesterday --sandbox',
        '  commerce-mcp tools --sandbox',
        '  docs/clients.md connects a desktop client or an editor to a real account;',
        '  commerce-mcp doctor then says whether everything is right, and what to do.',
      ].join('\n'),
    );
    return 0;
  } finally {
    await client.close();
  }
}
