// A minimal client of the protocol, so that it is not measured itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';

const handshake = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
};

/**
 * Starts a server over stdio.
 * @param {string[]} args of node
 * @param {Record<string, string>} settings variables beside this machine's own
 */
export function openStdio(args, settings = {}) {
  const child = spawn(process.execPath, args, {
    env: environment(settings),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map();
  const failAll = () => {
    for (const { reject } of waiting.values()) reject(new Error(`${args[0]} has ended`));
  };
  child.once('close', failAll);
  child.stdin.on('error', failAll);
  onLine(child.stdout, (line) => {
    const message = JSON.parse(line);
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    asked?.resolve(message);
  });
  let lastId = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  return withHandshake({
    pid: child.pid,
    request(method, params = {}) {
      const id = ++lastId;
      send({ jsonrpc: '2.0', id, method, params });
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject })).then(resultOf);
    },
    notify: async (method) => void send({ jsonrpc: '2.0', method }),
    async close() {
      const closed = once(child, 'close');
      child.stdin.end();
      await closed;
    },
  });
}

/**
 * Starts a server over HTTP and waits for its address.
 * @param {string[]} args of node
 */
export async function openHttp(args, settings = {}) {
  const child = spawn(process.execPath, args, {
    env: environment(settings),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = new URL(await printedUrl(child));
  const pool = new Pool(url.origin, { connections: 64 });
  let lastId = 0;
  const post = async (message) => {
    const { body } = await pool.request({
      path: url.pathname,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': handshake.protocolVersion,
      },
      body: JSON.stringify(message),
    });
    return body.text();
  };
  return withHandshake({
    url,
    pid: child.pid,
    request: async (method, params = {}) =>
      resultOf(readMessage(await post({ jsonrpc: '2.0', id: ++lastId, method, params }))),
    notify: async (method) => void (await post({ jsonrpc: '2.0', method })),
    async close() {
      await pool.destroy();
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
    },
  });
}

function withHandshake(connection) {
  return {
    ...connection,
    async initialize() {
      await connection.request('initialize', handshake);
      await connection.notify('notifications/initialized');
    },
    call: async (name, input) => {
      const result = await connection.request('tools/call', { name, arguments: input });
      if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
      return result;
    },
  };
}

function resultOf({ result, error }) {
  if (error) throw new Error(error.message);
  return result;
}

/** The message in a body: JSON, or the data of its last event. */
function readMessage(body) {
  const data = body.lastIndexOf('\ndata: ');
  if (body.startsWith('{')) return JSON.parse(body);
  return JSON.parse(body.slice(data < 0 ? 'data: '.length : data + '\ndata: '.length));
}

function onLine(stream, listener) {
  let parts = [];
  stream.setEncoding('utf8').on('data', (chunk) => {
    const lines = chunk.split('\n');
    for (const line of lines.slice(0, -1)) {
      listener(parts.join('') + line);
      parts = [];
    }
    parts.push(lines.at(-1));
  });
}

async function printedUrl(child) {
  let printed = '';
  for await (const chunk of child.stderr.setEncoding('utf8')) {
    printed += chunk;
    const url = /http:\S+/.exec(printed)?.[0];
    if (url !== undefined) {
      child.stderr.resume();
      return url;
    }
  }
  throw new Error(`the server ended: ${printed}`);
}

function environment(settings) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('COMMERCE_'));
  return { ...Object.fromEntries(own), ...settings };
}
