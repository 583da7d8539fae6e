// The built server over HTTP, looked into from outside with the inspector's protocol: nothing in the
// product knows of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { WebSocket } from 'undici';

/**
 * Starts `commerce-mcp http` on a free port and waits until it serves.
 * @param {string} program the built command line
 * @param {Record<string, string>} settings
 */
export async function startInspected(program, settings) {
  const args = ['--inspect=127.0.0.1:0', program, 'http', '--port', '0'];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { url, inspector } = await printedAddresses(child);
  const ask = await openInspector(inspector);
  return {
    url,
    /** Bytes in use after a full garbage collection: on the heap, and of the whole process. */
    async memory() {
      // What the first collection finalizes, the second one frees.
      await ask('HeapProfiler.collectGarbage');
      await ask('HeapProfiler.collectGarbage');
      const expression = 'JSON.stringify(process.memoryUsage())';
      const { result } = await ask('Runtime.evaluate', { expression });
      const { heapUsed, external, rss } = JSON.parse(result.value);
      return { live: heapUsed + external, resident: rss };
    },
    async close() {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await ask.close();
      await closed;
      return child.exitCode;
    },
  };
}

async function openInspector(address) {
  const socket = new WebSocket(address);
  const waiting = new Map();
  let lastId = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error) asked?.reject(new Error(error.message));
    else asked?.resolve(result);
  });
  await once(socket, 'open');
  const ask = (method, params = {}) => {
    const id = ++lastId;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  };
  ask.close = async () => {
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  };
  return ask;
}

/** What it prints is read to its end: a server whose log nobody reads stops at a full pipe. */
function printedAddresses(child) {
  let printed = '';
  return new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      if (printed.length < 10_000) printed += chunk;
      const url = /serves (http:\S+)/.exec(printed)?.[1];
      const inspector = /ws:\S+/.exec(printed)?.[0];
      if (url !== undefined && inspector !== undefined) resolve({ url, inspector });
    });
    child.once('close', () => reject(new Error(`the server ended: ${printed}`)));
  });
}
