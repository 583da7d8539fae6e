import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { isRecord } from '../src/core/json.ts';
import type { ModelTool } from './model/model.ts';

/** Which half of an answer a model is given: hosts hand over one of the two. */
export const channels = ['text', 'structured'] as const;
export type Channel = (typeof channels)[number];

/** The server as a host has it. */
export interface EvaluatedServer {
  instructions: string;
  tools: readonly ModelTool[];
  call(
    tool: string,
    input: Record<string, unknown>,
    channel: Channel,
  ): Promise<{ text: string; isError: boolean }>;
  close(): Promise<void>;
}

/** Longest that one tool call may take. */
const callMs = 180_000;

/** Starts the built program on the sandbox, with nothing of this machine's settings, for a real client. */
export async function startServer(program: string): Promise<EvaluatedServer> {
  const own = Object.entries(process.env).filter(([name]) => !/^(COMMERCE|EVAL)_/.test(name));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'stdio', '--sandbox'],
    env: Object.fromEntries(own.map(([name, value]) => [name, value ?? ''])),
    stderr: 'ignore',
  });
  const client = new Client({ name: 'commerce-mcp-eval', version: '0.0.0' });
  await client.connect(transport);
  return serverOf(client);
}

/** What a model needs of a connected client. */
export async function serverOf(client: Client): Promise<EvaluatedServer> {
  const { tools } = await client.listTools();
  return {
    instructions: client.getInstructions() ?? '',
    tools: tools.map(({ name, description = '', inputSchema }) => ({
      name,
      description,
      inputSchema: { ...inputSchema },
    })),
    async call(tool, input, channel) {
      try {
        const { content, structuredContent, isError } = await client.callTool(
          { name: tool, arguments: input },
          { timeout: callMs },
        );
        const text = content.flatMap((it) => (it.type === 'text' ? [it.text] : [])).join('\n');
        const isStructured = channel === 'structured' && isRecord(structuredContent);
        return {
          text: isStructured ? JSON.stringify(structuredContent) : text,
          isError: isError === true,
        };
      } catch (error) {
        // A tool that there is not, for one: the model is told, as a host tells it.
        return { text: error instanceof Error ? error.message : String(error), isError: true };
      }
    },
    close: () => client.close(),
  };
}
