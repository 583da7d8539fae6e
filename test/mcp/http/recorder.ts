import { createServer } from 'node:http';

/** A platform that stands before another and keeps what it was sent. */
export interface Recorder {
  url: string;
  close(): Promise<void>;
}

/**
 * Passes requests on to an address.
 * @param requests receives the request line and headers of each, as one text
 */
export async function startRecorder(target: string, requests: string[]): Promise<Recorder> {
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', rawHeaders } = request;
    requests.push([method, url, ...rawHeaders].join(' '));
    const parts: Uint8Array[] = [];
    for await (const part of request) parts.push(part);
    const headers = new Headers();
    for (const name of ['authorization', 'content-type', 'accept'])
      if (request.headers[name]) headers.set(name, String(request.headers[name]));
    const body = parts.length > 0 ? Buffer.concat(parts) : null;
    const answer = await fetch(target + url, { method, headers, body });
    const passed = [...answer.headers].filter(([name]) => !/^(content-|transfer-)/.test(name));
    const type = answer.headers.get('content-type') ?? '';
    response.writeHead(answer.status, { ...Object.fromEntries(passed), 'content-type': type });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
