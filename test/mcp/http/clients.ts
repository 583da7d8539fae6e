import {
  StreamableHTTPClientTransport as NewTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Connection, connectNewOver, connectOldOver, type Start } from '../clients.ts';
import { spawnHttp } from './spawn-http.ts';

/** The clients that stdio is tested with, each with a server of its own over HTTP. */
export const httpClients: readonly {
  name: string;
  connect: (start?: Start) => Promise<Connection>;
}[] = [
  { name: 'the 1.x SDK over HTTP', connect: (start) => connect(start, connectOld) },
  ...newClient('the 2.x client over HTTP', 'legacy'),
  ...newClient('the 2.x client that negotiates over HTTP', 'auto'),
  ...newClient('the 2.x client pinned to 2026-07-28 over HTTP', { pin: '2026-07-28' }),
];

function newClient(name: string, mode: VersionNegotiationMode) {
  const open = (url: URL) => connectNewOver(new NewTransport(url), mode);
  return [{ name, connect: (start?: Start) => connect(start, open) }];
}

function connectOld(url: URL): Promise<Connection> {
  // The 1.x transport declares its session id otherwise than its own interface asks.
  return connectOldOver(new OldTransport(url) as Parameters<typeof connectOldOver>[0]);
}

/** A server started the way the stdio one would have been. */
async function connect(
  { args = [], settings = {} }: Start = {},
  open: (url: URL) => Promise<Connection>,
): Promise<Connection> {
  const flags = args.filter((arg) => arg !== 'stdio');
  const server = await spawnHttp(settings, flags);
  const connection = await open(new URL(server.url));
  return {
    ...connection,
    async close() {
      await connection.close();
      await server.stop();
    },
  };
}
