import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ownCommand, programPath, version } from '../../program.ts';
import { paint } from '../../terminal/text.ts';
import { ask, scenes } from './scenes.ts';

/**
 * Shows what an assistant sees: starts this very program as a server on the sandbox, connects a real
 * MCP client over stdio and asks it an analyst's questions.
 */
export async function demo(): Promise<0> {
  const client = new Client({ name: 'commerce-mcp-demo', version });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programPath(), 'stdio', '--sandbox'],
    stderr: 'inherit',
  });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    const { resources } = await client.listResources();
    const { prompts } = await client.listPrompts();
    const server = client.getServerVersion();
    console.log(`${paint('bold', 'commerce-mcp: an analyst asks, the platform answers')}

A real MCP client is connected over stdio to ${server?.name} ${server?.version}:
${tools.length} tools, ${resources.length} resources, ${prompts.length} prompts. The platform behind it is the embedded
sandbox, a Dutch shop and restaurant business: every figure is invented.`);
    // Without the query engine a few tools are not offered.
    for (const scene of scenes.filter(([, tool]) => tools.some(({ name }) => name === tool))) {
      console.log(`\n${paint('bold', scene[0])}`);
      const lines = await ask(client, scene);
      console.log(lines.map((line) => `  ${line}`.trimEnd()).join('\n'));
    }
    console.log(`
${paint('bold', 'What next')}
  ${ownCommand()} call get_daily_close date=yesterday --sandbox
  ${ownCommand()} tools --sandbox
  ${ownCommand()} connect shows the clients on this machine, and connects one;
  ${ownCommand()} doctor says whether everything is right, and what to do.`);
    return 0;
  } finally {
    await client.close();
  }
}
