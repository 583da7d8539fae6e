import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ours } from '../servers.mjs';

/** So many clients over stdio, each with a server of its own, and so many over HTTP on one. */
const share = { stdio: 4, http: 4 };

/**
 * The built servers before a sandbox, and real clients of them.
 * @returns the clients, the servers as `{ name, pid }`, and how to end all of it
 */
export async function openServers({ baseUrl, authUrl, clientId, clientSecret }) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('COMMERCE_'));
  const env = {
    ...Object.fromEntries(own),
    COMMERCE_BASE_URL: baseUrl,
    COMMERCE_AUTH_URL: authUrl,
    COMMERCE_CLIENT_ID: clientId,
    COMMERCE_CLIENT_SECRET: clientSecret,
    COMMERCE_TIMEOUT_SECONDS: '1',
    COMMERCE_MAX_WAIT_SECONDS: '3',
    COMMERCE_LOG_LEVEL: 'error',
  };
  const http = await openHttp(env);
  const transports = [
    ...Array.from({ length: share.stdio }, () => openStdio(env)),
    ...Array.from({ length: share.http }, () => new StreamableHTTPClientTransport(http.url)),
  ];
  const clients = await Promise.all(transports.map(connect));
  const stdio = transports.filter((transport) => 'pid' in transport);
  return {
    clients,
    processes: [
      ...stdio.map(({ pid }, index) => ({ name: `stdio ${index + 1}`, pid })),
      { name: 'http', pid: http.pid },
    ],
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await http.close();
    },
  };
}

function openStdio(env) {
  return new StdioClientTransport({
    command: process.execPath,
    args: [ours, 'stdio'],
    env,
    stderr: 'inherit',
  });
}

async function connect(transport) {
  const client = new Client({ name: 'soak', version: '1.0.0' });
  await client.connect(transport);
  await client.listTools();
  return client;
}

/** The built server over HTTP on a free port; what it logs from then on goes to stderr. */
export async function openHttp(env) {
  const child = spawn(process.execPath, [ours, 'http', '--port', '0'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  const url = await new Promise((resolve, reject) => {
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      printed += chunk;
      const served = /serves (http:\S+)/.exec(printed)?.[1];
      if (served) resolve(new URL(served));
    });
    ended.then(() => reject(new Error(`the server ended: ${printed}`)));
  });
  // What it logs from here on is an error of its own, and worth reading.
  child.stderr.pipe(process.stderr);
  return {
    url,
    pid: child.pid,
    async close() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
