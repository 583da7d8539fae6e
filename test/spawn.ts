import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import { isRecord } from '../src/core/json.ts';
import type { ApiKey } from '../src/sandbox/access/keyring.ts';
import type { Sandbox } from '../src/sandbox/sandbox.ts';

/** The built command line, as users start it. */
export const binary = join(inject('packageFolder'), 'dist/cli.js');

/** A home without clients, so that no account of theirs is found. */
const home = join(inject('packageFolder'), 'home');

/** Environment of a spawned server: this machine's own, without its COMMERCE_ settings and its clients. */
export function environment(settings: Record<string, string> = {}): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('COMMERCE_'));
  return {
    ...Object.fromEntries(own.map(([name, value]) => [name, value ?? ''])),
    ...{ HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: '', APPDATA: '' },
    ...settings,
  };
}

/** The settings that point a server at a running sandbox, with the key of its owner or another one. */
export function account(
  { baseUrl, authUrl, keys }: Pick<Sandbox, 'baseUrl' | 'authUrl' | 'keys'>,
  { clientId, clientSecret }: ApiKey = keys.owner,
): Record<string, string> {
  return {
    COMMERCE_BASE_URL: baseUrl,
    COMMERCE_AUTH_URL: authUrl,
    COMMERCE_CLIENT_ID: clientId,
    COMMERCE_CLIENT_SECRET: clientSecret,
  };
}

/** How a process ended, with all that it printed. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the command line to its end. */
export async function run(
  args: readonly string[],
  settings: Record<string, string> = {},
): Promise<Ended> {
  const child = start(args, settings);
  child.stdin?.end();
  return listen(child).over;
}

/** A command that runs until it is told to stop. */
export interface RunningCommand {
  /** All that was printed, on both channels, once it matches. */
  printed(pattern: RegExp): Promise<string>;
  signal(name: NodeJS.Signals): void;
  readonly said: Readonly<Ended>;
  readonly ended: Promise<Ended>;
}

/** Starts the command line and leaves it running. */
export function spawnCommand(
  args: readonly string[],
  settings: Record<string, string> = {},
): RunningCommand {
  const child = start(args, settings);
  const { said, over } = listen(child);
  return {
    said,
    ended: over,
    signal: (name) => void child.kill(name),
    async printed(pattern) {
      for (;;) {
        const text = said.stdout + said.stderr;
        if (pattern.test(text)) return text;
        const heard = [child.stdout, child.stderr].map((stream) => once(stream ?? child, 'data'));
        const left = await Promise.race([over, ...heard]);
        if (!Array.isArray(left)) throw new Error(`the command ended: ${left.stderr}`);
      }
    },
  };
}

/** The built server as users start it, over HTTP on a free port. */
export interface SpawnedServer {
  url: string;
  /** Everything printed so far, on both channels. */
  printed(): string;
  stdout(): string;
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<number | null>;
  /** Ends it at once, in the middle of whatever it does. */
  kill(): Promise<void>;
}

/** Starts `commerce-mcp http` and waits until it serves. */
export async function spawnHttp(
  settings: Record<string, string>,
  args: readonly string[] = [],
): Promise<SpawnedServer> {
  const command = spawnCommand(['http', '--port', '0', ...args], settings);
  const { said, ended } = command;
  const [, url = ''] = /serves (http:\S+)/.exec(await command.printed(/serves http:\S+\s/)) ?? [];
  return {
    url,
    printed: () => said.stdout + said.stderr,
    stdout: () => said.stdout,
    async stop() {
      command.signal('SIGTERM');
      return (await ended).code;
    },
    async kill() {
      command.signal('SIGKILL');
      await ended;
    },
  };
}

/** A JSON-RPC message as it stood on a line of stdout. */
export type Frame = Record<string, unknown>;

/** A server over stdio, spoken to in bare lines. */
export interface RawServer {
  /** Writes bytes as they are. */
  write(bytes: string | Uint8Array): void;
  /** Writes one message and its newline. */
  send(message: unknown): void;
  /** The answer to a request id, which may have arrived already. */
  answer(id: number | string): Promise<Frame>;
  /** The first message that fits, which may have arrived already. */
  find(fits: (frame: Frame) => boolean): Promise<Frame>;
  /** Opens with the handshake of the older revisions. */
  initialize(): Promise<Frame>;
  /** Calls a tool under the given request id; its answer is for `answer` to await. */
  call(id: number, name: string, args?: Record<string, unknown>): void;
  signal(name: NodeJS.Signals): void;
  /** Closes its standard input. */
  end(): void;
  readonly ended: Promise<Ended>;
}

/** Spawns `commerce-mcp stdio`; whatever it prints that is no JSON-RPC message makes `find` fail. */
export function spawnServer(
  args: readonly string[] = ['stdio', '--sandbox'],
  settings: Record<string, string> = {},
): RawServer {
  const child = start(args, settings);
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  let broken: unknown;
  const wake = () => {
    for (const look of [...waiting]) look();
  };
  if (child.stdout)
    createInterface(child.stdout).on('line', (line) => {
      try {
        frames.push(readFrame(line));
      } catch (error) {
        broken ??= error;
      }
      wake();
    });
  const { over } = listen(child);
  let isOver = false;
  over.then(() => {
    isOver = true;
    wake();
  });

  const server: RawServer = {
    ended: over,
    write: (bytes) => void child.stdin?.write(bytes),
    send: (message) => server.write(`${JSON.stringify(message)}\n`),
    answer: (id) => server.find((frame) => frame.id === id && frame.method === undefined),
    find: (fits) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = frames.find(fits);
          if (found === undefined && broken === undefined && !isOver) return;
          waiting.delete(look);
          if (found && broken === undefined) resolve(found);
          else reject(broken ?? new Error('the server ended before it answered'));
        };
        waiting.add(look);
        look();
      }),
    async initialize() {
      server.send(request(0, 'initialize', handshake));
      const answer = await server.answer(0);
      server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      return answer;
    },
    call: (id, name, args = {}) =>
      server.send(request(id, 'tools/call', { name, arguments: args })),
    signal: (name) => void child.kill(name),
    end: () => void child.stdin?.end(),
  };
  return server;
}

/** A JSON-RPC request. */
export function request(id: number | string, method: string, params: unknown = {}): Frame {
  return { jsonrpc: '2.0', id, method, params };
}

const handshake = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1.0.0' },
};

/** A line of stdout as a message. @throws Error for anything else: stdout is the protocol's alone */
export function readFrame(line: string): Frame {
  const frame: unknown = JSON.parse(line);
  if (isRecord(frame) && frame.jsonrpc === '2.0') return frame;
  throw new Error(`not a JSON-RPC message: ${line.slice(0, 200)}`);
}

function start(args: readonly string[], settings: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [binary, ...args], { env: environment(settings) });
  // A server that has left closes its end of the pipe; what it said before is what counts.
  child.stdin.on('error', () => {});
  return child;
}

/** Keeps what a process prints, up to its end. */
function listen(child: ChildProcess): { said: Ended; over: Promise<Ended> } {
  const said: Ended = { code: null, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      said[name] += chunk;
    });
  const over = once(child, 'close').then(() => Object.assign(said, { code: child.exitCode }));
  return { said, over };
}
