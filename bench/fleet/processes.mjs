// What the fleet is made of: a Redis that keeps nothing, and servers over HTTP on free ports.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ours } from '../servers.mjs';

/** Starts `redis-server`, which has to be on the PATH, on a free port. */
export async function startRedis() {
  const port = await freePort();
  const settings = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--dir', tmpdir()];
  let child;
  const start = async () => {
    child = spawn('redis-server', settings.map(String), { stdio: 'ignore' });
    const failed = once(child, 'error').then(([error]) => {
      throw new Error(`redis-server cannot be started: ${error.message}`);
    });
    await Promise.race([failed, untilListening(port)]);
    failed.catch(() => {});
  };
  await start();
  return { url: `redis://127.0.0.1:${port}`, start, kill: () => end(child) };
}

/**
 * Starts the built server over HTTP and waits until it prints where.
 * @param {Record<string, string>} settings variables beside this machine's own
 */
export async function startServer(settings) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('COMMERCE_'));
  const child = spawn(process.execPath, [ours, 'http', '--port', '0'], {
    env: { ...Object.fromEntries(own), ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    printed += chunk;
  });
  let url;
  while (url === undefined) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${printed}`);
    await sleep(20);
    url = /serves (http:\S+)/.exec(printed)?.[1];
  }
  return { url, kill: () => end(child) };
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function untilListening(port) {
  for (;;) {
    const socket = createConnection(port, '127.0.0.1');
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await sleep(10);
  }
}
