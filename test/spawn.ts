import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { inject } from 'vitest';
import { isRecord } from '../src/core/json.ts';
import type { ApiKey } from '../src/sandbox/http/access.ts';
import type { startSandbox } from './sandbox/start-sandbox.ts';

/** A running sandbox. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** The built command line, as users start it. */
export const binary = join(inject('packageFolder'), 'dist/cli.js');

/** A home without clients, so that no account of theirs is found. */
const home = join(inject('packageFolder'), 'home');

/** Where files of `export_rows` go unless a test says otherwise: in no person's folder. */
export const filesFolder = join(inject('packageFolder'), 'files');

/** Environment of a spawned server: this machine's own, without its settings, proxies and clients. */
export function environment(settings: Record<string, string> = {}): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => !/^COMMERCE_|_proxy$/i.test(name));
  return {
    ...Object.fromEntries(own.map(([name, value]) => [name, value ?? ''])),
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: '',
    XDG_CACHE_HOME: '',
    APPDATA: '',
    COMMERCE_FILES_DIR: filesFolder,
    ...settings,
  };
}

/** The settings that point a server at a running sandbox, with the key of its owner or another one. */
export function account(
  { baseUrl, authUrl, keys }: Pick<Sandbox, 'baseUrl' | 'authUrl'> & { keys: { owner: ApiKey } },
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

/** A command that runs until it is told to stop. */
export type RunningCommand = ReturnType<typeof spawnCommand>;

/** Starts the command line and leaves it running. */
export function spawnCommand(args: readonly string[], settings: Record<string, string> = {}) {
  const child = spawn(process.execPath, [binary, ...args], { env: environment(settings) });
  // A server that has left closes its end of the pipe; what it printed before is what counts.
  child.stdin.on('error', () => {});
  const printed: Ended = { code: null, stdout: '', stderr: '' };
  const heard = new EventEmitter().setMaxListeners(0);
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      printed[name] += chunk;
      heard.emit('more');
    });
  const ended = once(child, 'close').then(() => Object.assign(printed, { code: child.exitCode }));
  return {
    /** Its number among the processes of this machine. */
    pid: child.pid,
    /** What it has printed so far. */
    printed: printed as Readonly<Ended>,
    ended,
    /** What is found in all that it prints, as soon as it is there. */
    async until<T>(find: (printed: Readonly<Ended>) => T | undefined): Promise<T> {
      for (let isOver = false; ; ) {
        const found = find(printed);
        if (found !== undefined) return found;
        if (isOver) throw new Error(`the command ended: ${printed.stderr}`);
        const more = once(heard, 'more').then(() => false);
        isOver = await Promise.race([ended.then(() => true), more]);
      }
    },
    write: (bytes: string | Uint8Array) => void child.stdin.write(bytes),
    /** Closes its standard input. */
    end: () => void child.stdin.end(),
    signal: (name: NodeJS.Signals) => void child.kill(name),
    /** Asks it to stop, or with SIGKILL ends it in the middle of whatever it does; gives its exit code. */
    async stop(by: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
      child.kill(by);
      return (await ended).code;
    },
  };
}

/** The built server as users start it, over HTTP on a free port. */
export type SpawnedServer = RunningCommand & { url: string };

/** Starts `commerce-mcp http` and waits until it serves. */
export async function spawnHttp(
  settings: Record<string, string>,
  args: readonly string[] = [],
): Promise<SpawnedServer> {
  const command = spawnCommand(['http', '--port', '0', ...args], settings);
  const url = await command.until(({ stderr }) => /serves (http:\S+)\s/.exec(stderr)?.[1]);
  return { ...command, url };
}

/** A JSON-RPC message as it stood on a line of stdout. */
export type Frame = Record<string, unknown>;

/** A server over stdio, spoken to in bare lines. */
export type RawServer = ReturnType<typeof spawnServer>;

/** Spawns `commerce-mcp stdio`; whatever it prints that is no JSON-RPC message makes `answer` fail. */
export function spawnServer(
  args: readonly string[] = ['stdio', '--sandbox'],
  settings?: Record<string, string>,
) {
  const command = spawnCommand(args, settings);
  const frames: Frame[] = [];
  let readTo = 0;
  const framesOf = (stdout: string) => {
    const end = stdout.lastIndexOf('\n') + 1;
    if (end > readTo)
      frames.push(...stdout.slice(readTo, end).trimEnd().split('\n').map(readFrame));
    readTo = end;
    return frames;
  };
  const send = (message: unknown) => command.write(`${JSON.stringify(message)}\n`);
  const answer = (id: number | string): Promise<Frame> =>
    command.until(({ stdout }) =>
      framesOf(stdout).find((frame) => frame.id === id && frame.method === undefined),
    );
  return {
    ...command,
    /** Writes one message and its newline. */
    send,
    /** The answer to a request id, which may have arrived already. */
    answer,
    /** Opens with the handshake of the older revisions. */
    async initialize() {
      send(request(0, 'initialize', handshake));
      const opened = await answer(0);
      send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      return opened;
    },
    /** Calls a tool under the given request id; its answer is for `answer` to await. */
    call: (id: number, name: string, args: Record<string, unknown> = {}) =>
      send(request(id, 'tools/call', { name, arguments: args })),
  };
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
