// The platform of both sides, forked as a process of its own: `node platform.mjs OPTIONS`. With `remember` it makes
// each answer once and repeats it after the latency, so that it costs next to nothing.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from './bundle.mjs';

const { remember = false, latencyMs = 0, ...options } = JSON.parse(process.argv[2] ?? '{}');
const { startSandbox } = await load('test/sandbox/start-sandbox.ts');
const sandbox = await startSandbox({ quota: 1_000_000, tokenLifetimeSeconds: 3600, ...options });
const { authUrl, clientId, clientSecret } = sandbox;
const token = await exchange();
/** Requests that reached the memory. */
let asked = 0;
const baseUrl = remember ? await openMemory() : sandbox.baseUrl;

process.on('message', () => {
  const { requests, refused } = sandbox.stats;
  process.send({ stats: { requests: remember ? asked : requests, refused } });
});
process.on('disconnect', () => process.exit());
process.send({ baseUrl, authUrl, clientId, clientSecret, token });

async function openMemory() {
  const answers = new Map();
  let used = 0;
  const ask = async (path) => {
    const headers = path.startsWith('/api') ? { authorization: `Bearer ${token}` } : {};
    const reply = await fetch(sandbox.baseUrl + path, { headers });
    const body = Buffer.from(await reply.arrayBuffer());
    return { status: reply.status, type: reply.headers.get('content-type'), body };
  };
  const server = createServer(async (request, response) => {
    asked++;
    const answer = answers.get(request.url) ?? ask(request.url);
    answers.set(request.url, answer);
    const [{ status, type, body }] = await Promise.all([answer, latencyMs && sleep(latencyMs)]);
    response.writeHead(status, {
      'content-type': type,
      'content-length': body.length,
      'x-request-id': `bench-${used}`,
      ...budget(++used),
    });
    response.end(body);
  });
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}`;
}

async function exchange() {
  const reply = await fetch(`${authUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token } = await reply.json();
  return access_token;
}

/** The rate headers (docs/platform.md#rate-headers) of a budget that never ends. */
function budget(used) {
  const limit = 1_000_000;
  const left = limit - (used % 1000);
  const reset = 60 - (Math.floor(Date.now() / 1000) % 60);
  return {
    'ratelimit-limit': limit,
    'ratelimit-remaining': left,
    'ratelimit-reset': reset,
    'ratelimit-policy': `"general";q=${limit};w=60, "write";q=${limit};w=60`,
    ratelimit: `"general";r=${left};t=${reset}`,
  };
}
