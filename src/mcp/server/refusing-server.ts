import { McpServer, type Server } from '@modelcontextprotocol/server';
import { version } from '../../core/program.ts';
import { Catalogue } from '../tools/catalogue.ts';
import { errorResult } from './call-tool.ts';

/** An MCP server for unusable settings: it lists every tool and refuses each call with the same text. */
export function createRefusingServer(text: string): Server {
  const { server } = new McpServer(
    { name: 'commerce-mcp', title: 'Commerce', version },
    { capabilities: { tools: { listChanged: false } }, instructions: text },
  );
  server.setRequestHandler('tools/list', () => ({ tools: new Catalogue().listing() }));
  server.setRequestHandler('tools/call', () => errorResult(text, { code: 'bad_config' }));
  return server;
}
