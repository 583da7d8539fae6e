// A minimal client of the protocol, so that it is not measured itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';

const protocolVersion = '2025-06-18';
const clientInfo = { name: 'bench', version: '1.0.0' };

/**
 * Starts a server over stdio.
 * @param {string[]} args of node
 * @param {Record<string, string>} settings variables beside this machine's own
 */
export function openStdio(args, settings = {}) {
  const child = start(args, settings, ['pipe', 'pipe', 'ignore', 'ipc']);
  const waiting = new Map();
  createInterface(child.stdout).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  const fail = () => {
    for (const settle of waiting.values()) settle({ error: { message: `${args[0]} has ended` } });
  };
  child.once('close', fail);
  child.stdin.on('error', fail);
  const send = (message) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    return message.id && new Promise((settle) => waiting.set(message.id, settle));
  };
  return connect(child, send, () => child.stdin.end());
}

/**
 * Starts a server over HTTP and waits for its address.
 * @param {string[]} args of node
 */
export async function openHttp(args, settings = {}) {
  const child = start(args, settings, ['ignore', 'ignore', 'pipe', 'ipc']);
  const url = await new Promise((settle, fail) => {
    createInterface(child.stderr).on('line', (line) => {
      const [address] = /http:\S+/.exec(line) ?? [];
      if (address !== undefined) settle(new URL(address));
    });
    child.once('close', () => fail(new Error(`${args[0]} has ended`)));
  });
  const pool = new Pool(url.origin, { connections: 64 });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': protocolVersion,
  };
  const send = async (message) => {
    const request = { path: url.pathname, method: 'POST', headers, body: JSON.stringify(message) };
    const { body } = await pool.request(request);
    const text = await body.text();
    // JSON, or the data of its last event.
    return message.id && JSON.parse(text.startsWith('{') ? text : text.split(/^data: /m).at(-1));
  };
  const end = async () => {
    await pool.destroy();
    child.kill('SIGTERM');
  };
  return { ...connect(child, send, end), url };
}

function connect(child, send, end) {
  let lastId = 0;
  const request = async (method, params = {}) => {
    const { result, error } = await send({ jsonrpc: '2.0', id: ++lastId, method, params });
    if (error) throw new Error(error.message);
    return result;
  };
  return {
    child,
    pid: child.pid,
    request,
    async initialize() {
      await request('initialize', { protocolVersion, capabilities: {}, clientInfo });
      await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    },
    async call(name, input) {
      const result = await request('tools/call', { name, arguments: input });
      if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
      return result;
    },
    async close() {
      const closed = once(child, 'close');
      await end();
      await closed;
    },
  };
}

function start(args, settings, stdio) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('COMMERCE_'));
  return spawn(process.execPath, args, { env: { ...Object.fromEntries(own), ...settings }, stdio });
}
