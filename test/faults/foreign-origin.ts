import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Somebody else's server, which remembers whatever reaches it. */
export interface ForeignOrigin {
  url: string;
  /** Request lines and headers, oldest first. */
  received: string[];
  close(): Promise<void>;
}

/** Starts one that answers any request as an authorization server and a platform would. */
export async function openForeignOrigin(): Promise<ForeignOrigin> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push([request.method, request.url, ...request.rawHeaders].join(' '));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"access_token":"foreign","expires_in":60,"count":0,"total":0,"data":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
