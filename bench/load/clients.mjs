// The clients of both SDKs, as programs use them.
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const identity = { name: 'commerce-mcp-load', version: '1.0.0' };

/**
 * Connects a client: of the 1.x SDK, of the 2.x one, or of the 2.x one that speaks the 2026-07-28
 * revision, in turn.
 * @param {number} index which one
 * @returns what asks a tool and resolves to the structured content of its answer
 */
export async function connect(index, url, token) {
  const options = { requestInit: { headers: { authorization: `Bearer ${token}` } } };
  const isOld = index % 3 === 0;
  const client = isOld
    ? new OldClient(identity)
    : new NewClient(identity, {
        versionNegotiation: { mode: index % 3 === 1 ? 'legacy' : 'auto' },
      });
  const Transport = isOld ? OldTransport : NewTransport;
  await client.connect(new Transport(new URL(url), options));
  return {
    async call(name, input) {
      const { isError, content, structuredContent } = await client.callTool({
        name,
        arguments: input,
      });
      if (isError) throw new Error(`${name}: ${content[0]?.text}`);
      return structuredContent;
    },
    close: () => client.close(),
  };
}
