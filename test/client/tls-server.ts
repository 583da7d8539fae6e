/** A platform over TLS whose certificate nobody trusts, and a proxy that alone knows its name. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { closeAfterwards } from '../setup/closing.ts';
import { json } from './scripted-server.ts';

/** Of `platform.test` and 127.0.0.1, signed by itself, good for a hundred years; made for these tests. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBczCCARmgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1wbGF0Zm9y
bS50ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAYMRYwFAYD
VQQDDA1wbGF0Zm9ybS50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEIkDj
w75xltuX0IJz7SUl7Q/TdoQavTVcsmvVHesNkN9EbBgSn0/+KC9Q/VTiBhz29B/d
Juy4xZNFoGBlLiO5oKNSMFAwHgYDVR0RBBcwFYINcGxhdGZvcm0udGVzdIcEfwAA
ATAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBT+bL5wsXI8bZeWEWIQ86hCBSHO
rDAKBggqhkjOPQQDAgNIADBFAiAw2IyLgDzQ8g6pMlqhSIX6tBVPUArMXO8Kr7t/
5rgVGgIhAOhOkum2HMcqCW+eOzM9HSMyT/mJaDXqJb5mYslOZr56
-----END CERTIFICATE-----
`;

const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKq3CNxSVtDp59sZr
RL72RsAXGKAz6mI/5RlUKeq8Du2hRANCAAQiQOPDvnGW25fQgnPtJSXtD9N2hBq9
NVyya9Ud6w2Q30RsGBKfT/4oL1D9VOIGHPb0H90m7LjFk0WgYGUuI7mg
-----END PRIVATE KEY-----
`;

/** The host that the certificate is of: only the proxy finds it. */
export const platformHost = 'platform.test';

/** Serves on this machine until the test is over; gives the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeAfterwards(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return port;
}

/** Its port on this machine; it answers all that a client asks for. */
export function startTlsPlatform(): Promise<number> {
  const answer: RequestListener = (request, response) => {
    const origin = `https://${request.headers.host}`;
    if (request.url?.startsWith('/.well-known'))
      return json(response, 200, { token_endpoint: `${origin}/oauth/token` });
    if (request.url === '/oauth/token') return json(response, 201, { access_token: 'a-token' });
    json(response, 200, { account: { name: 'far' }, authorization: { title: 'Owner' } });
  };
  return listen(createTlsServer({ key, cert: certificate }, answer));
}

/** A proxy to this port under the name of the platform; any other name it does not find. */
export async function startProxy(platformPort: number) {
  const server = createServer();
  const proxy = { address: '', asked: [] as string[], refusal: undefined as number | undefined };
  server.on('connect', (request, socket) => {
    proxy.asked.push(request.url ?? '');
    const isKnown = request.url?.startsWith(`${platformHost}:`);
    const refusal = proxy.refusal ?? (isKnown ? undefined : 502);
    if (refusal) return void socket.end(`HTTP/1.1 ${refusal} Refused\r\n\r\n`);
    const far = connect(platformPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      far.pipe(socket).pipe(far);
    });
    for (const end of [far, socket]) end.on('error', () => far.destroy());
  });
  proxy.address = `http://127.0.0.1:${await listen(server)}`;
  return proxy;
}
