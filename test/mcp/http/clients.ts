import {
  StreamableHTTPClientTransport as NewTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Connection, connectNewOver, connectOldOver } from '../clients.ts';

/** The clients that stdio is tested with, over HTTP. */
export const httpClients: readonly { name: string; connect: (url: URL) => Promise<Connection> }[] =
  [
    { name: 'the 1.x SDK over HTTP', connect: connectOld },
    { name: 'the 2.x client over HTTP', connect: connectNew('legacy') },
    { name: 'the 2.x client that negotiates over HTTP', connect: connectNew('auto') },
    {
      name: 'the 2.x client pinned to 2026-07-28 over HTTP',
      connect: connectNew({ pin: '2026-07-28' }),
    },
  ];

function connectNew(mode: VersionNegotiationMode) {
  return (url: URL) => connectNewOver(new NewTransport(url), mode);
}

function connectOld(url: URL): Promise<Connection> {
  // The 1.x transport declares its session id otherwise than its own interface asks.
  return connectOldOver(new OldTransport(url) as Parameters<typeof connectOldOver>[0]);
}
