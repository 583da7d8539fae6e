// Callers that mean harm, in a process of their own: `node attackers.mjs SETTINGS`, forked. Each goes on
// from `start` to `stop`; at the `end` it is told how often each tried.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

const { url, tokens } = JSON.parse(process.argv[2]);
const { hostname, port, pathname, origin } = new URL(url);
const pool = new Pool(origin, { connections: 64, headersTimeout: 0, bodyTimeout: 0 });
const attempts = Object.fromEntries(Object.keys(attacks()).map((name) => [name, 0]));
const sockets = new Set();
let isOn = false;

const size = 450_000;
const shapes = [
  ','.repeat(size),
  'a.'.repeat(size / 2),
  `${'('.repeat(size / 2)}${','.repeat(size / 2)}`,
  '['.repeat(size),
  `${' '.repeat(size)}a`,
  Array.from({ length: size / 4 }, () => 'a'),
  Array.from({ length: 900 }, () => 'x'.repeat(size / 900)),
];
const places = [
  ['list_orders', 'fields'],
  ['list_orders', 'period'],
  ['search_products', 'q'],
  ['query', 'sql'],
  ['find_reference', 'query'],
  ['find_reference', 'kinds'],
];

const kept = {
  // Its text has to be more than both ends of a connection hold, and less than the most of a text.
  'non-reader': await keepRows('non-reader', 'last_240_days'),
  crowd: await keepRows('crowd', 'last_30_days'),
};
for (const [name, { attack, atOnce }] of Object.entries(attacks()))
  for (let index = 0; index < atOnce; index++) void goOn(name, attack);

process.on('message', (order) => {
  isOn = order === 'start';
  if (!isOn) for (const socket of sockets) socket.destroy();
  if (order !== 'end') return;
  process.send(attempts);
  process.disconnect();
  process.exit();
});
process.send('ready');

/** What each does, and how often at the same time. */
function attacks() {
  return {
    // Asks for what no socket holds whole, and reads none of it.
    'non-reader': {
      atOnce: 8,
      attack: (name) => hold((socket) => void socket.write(requestText(name, read(name)))),
    },
    // Sends one byte a second.
    'slow-body': {
      atOnce: 20,
      attack: (name) =>
        hold((socket) => {
          socket.write(requestText(name, '{"jsonrpc":', 5000));
          const timer = setInterval(() => socket.write(' '), 1000);
          socket.once('close', () => clearInterval(timer));
        }),
    },
    // As many readings of all its rows at once as it may.
    crowd: { atOnce: 64, attack: (name) => post(name, read(name)) },
    // Keeps rows, ever more of them.
    evictor: {
      atOnce: 1,
      attack: (name) => {
        const period = `last_${1 + (attempts.evictor % 30)}_days`;
        return post(name, call('list_orders', { period, all: true }));
      },
    },
    // Nearly as much as a body may be, of what is slow to read.
    'huge-arguments': {
      atOnce: 1,
      attack: (name) => {
        const [tool, argument] = places[attempts[name] % places.length];
        const shape = shapes[attempts[name] % shapes.length];
        return post(name, call(tool, { [argument]: shape }));
      },
    },
  };
}

async function goOn(name, attack) {
  for (;;) {
    if (!isOn) {
      await sleep(50);
      continue;
    }
    attempts[name]++;
    await attack(name).catch(() => sleep(100));
  }
}

/** A connection of its own, until it is ended by whichever side. */
function hold(begin) {
  const socket = connect(Number(port), hostname, () => begin(socket));
  sockets.add(socket);
  socket.pause();
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      resolve(sleep(100));
    });
  });
}

async function post(name, body) {
  const request = { path: pathname, method: 'POST', headers: headersOf(name), body };
  const reply = await pool.request(request);
  // It is read to its end, as fast as it comes.
  for await (const _ of reply.body);
}

async function keepRows(name, period) {
  const request = { path: pathname, method: 'POST', headers: headersOf(name) };
  const body = call('list_orders', { period, all: true });
  const text = await (await pool.request({ ...request, body })).body.text();
  const id = /r_[0-9a-z]{10}/.exec(text)?.[0];
  if (id === undefined) throw new Error(`nothing was kept: ${text.slice(0, 500)}`);
  return id;
}

function call(name, input) {
  return message('tools/call', { name, arguments: input });
}

function read(name) {
  return message('resources/read', { uri: `commerce://results/${kept[name]}` });
}

function message(method, params) {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

function requestText(name, body, length = Buffer.byteLength(body)) {
  const headers = { host: hostname, ...headersOf(name), 'content-length': length };
  const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
  return `POST ${pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function headersOf(name) {
  return {
    authorization: `Bearer ${tokens[name]}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
}
