/** One process of the engine: spawned with nothing in its environment, one command at a time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { parse } from 'node:path';
import { outOfMemory, QueryError } from '../errors.ts';
import { outOfMemoryExit } from '../protocol/exit-codes.ts';
import { createFrameReader, encodeFrame, type Frame } from '../protocol/frames.ts';
import {
  type EngineCommand,
  type EngineFailure,
  readReply,
  type SqlColumn,
} from '../protocol/messages.ts';

/** What a command was answered with. */
export interface WorkerAnswer {
  columns: readonly SqlColumn[];
  /** The tree, as JSON text; empty where none was asked for. */
  tree: string;
  more: boolean;
}

/** The engine refused or failed a command; its process is well. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly failure: EngineFailure;

  constructor(failure: EngineFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

export interface Worker {
  readonly pid: number | undefined;
  /** Resolves when it can take commands, or when it ended before. */
  readonly started: Promise<void>;
  isAlive(): boolean;
  /**
   * Sends a command and waits for its answer; `onRows` gets the JSON arrays of rows as they come.
   * @throws {EngineError} when the engine refuses it
   * @throws {QueryError} when the process ended before the answer
   */
  call(
    command: EngineCommand,
    body?: string,
    onRows?: (text: string) => void,
  ): Promise<WorkerAnswer>;
  /** Sends a command that is not answered; resolves when the pipe takes more. */
  post(command: EngineCommand, body?: string): Promise<void>;
  /** Whether the process keeps the server's process running. */
  hold(isHeld: boolean): void;
  kill(): void;
}

export interface WorkerOptions {
  /** The file to run. */
  entry: string;
  /** Resident memory at which the process ends itself. */
  mostMemoryMb: number;
}

interface Waiting {
  columns: readonly SqlColumn[];
  onRows: (text: string) => void;
  resolve: (answer: WorkerAnswer) => void;
  reject: (error: unknown) => void;
}

/** Bytes that may wait for the process to take them. */
const mostOnTheirWay = 1_000_000;

/** Starts a process. It fails with its first command when it cannot run. */
export function startWorker({ entry, mostMemoryMb }: WorkerOptions): Worker {
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${mostMemoryMb}`, entry, String(mostMemoryMb)],
    { env: environment(), cwd: parse(process.execPath).root, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  let waiting: Waiting | undefined;
  let ended: QueryError | undefined;

  let isStarted = false;
  let start = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });

  let onTheirWay = 0;
  let takesMore = () => {};

  const end = (error: QueryError) => {
    start();
    takesMore();
    ended ??= error;
    child.kill('SIGKILL');
    waiting?.reject(ended);
    waiting = undefined;
  };

  function take({ head, body }: Frame): void {
    const reply = readReply(head);
    if (reply.kind === 'ready') {
      isStarted = true;
      start();
    }
    if (reply.kind === 'ready' || waiting === undefined) return;
    if (reply.kind === 'columns') waiting.columns = reply.columns;
    else if (reply.kind === 'rows') waiting.onRows(body.toString());
    else {
      const { resolve, reject, columns } = waiting;
      waiting = undefined;
      if (reply.kind === 'failed') reject(new EngineError(reply.failure));
      else if (reply.kind === 'tree') resolve({ columns, tree: body.toString(), more: false });
      else resolve({ columns, tree: '', more: reply.more === true });
    }
  }

  const read = createFrameReader(take);
  child.stdout.on('data', (bytes: Buffer) => {
    try {
      read(bytes);
    } catch (cause) {
      end(new QueryError('engine_failed', unreadable, { cause }));
    }
  });
  child.stdin.on('error', () => {}); // The exit says more.
  child.on('error', (cause) => end(new QueryError('engine_unavailable', unavailable, { cause })));
  child.on('exit', (code) => end(isStarted ? exitError(code) : neverStarted(code)));

  return {
    pid: child.pid,
    started,
    isAlive: () => ended === undefined,
    call: (command, body, onRows = () => {}) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        waiting = { columns: [], onRows, resolve, reject };
        child.stdin.write(encodeFrame(command, body));
      }),
    async post(command, body) {
      if (ended !== undefined) throw ended;
      const frame = encodeFrame(command, body);
      onTheirWay += frame.length;
      child.stdin.write(frame, () => {
        onTheirWay -= frame.length;
        takesMore();
      });
      // The next is written while the process reads this one.
      if (onTheirWay <= mostOnTheirWay) return;
      await new Promise<void>((resolve) => {
        takesMore = resolve;
      });
    },
    hold: (isHeld) => holdAll(child, isHeld),
    kill: () => end(new QueryError('engine_failed', stopped)),
  };
}

const stopped = 'The query engine was stopped while it worked on this statement. Ask again.';
const unreadable = 'The query engine gave an answer that could not be read. Ask again.';
const unavailable =
  'The query engine cannot be loaded on this platform. Use the tools that read lists and reports instead.';

function exitError(code: number | null): QueryError {
  return code === outOfMemoryExit ? outOfMemory() : new QueryError('engine_failed', stopped);
}

/** A process that ends by itself before it can take commands will do so the next time. */
function neverStarted(code: number | null): QueryError {
  if (code === null) return new QueryError('engine_failed', stopped);
  return new QueryError('engine_unavailable', unavailable);
}

/** Nothing of the server's own environment; Windows starts no program without its root. */
function environment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env;
  return { TZ: 'UTC', ...(process.platform === 'win32' && { SystemRoot }) };
}

function holdAll(child: ChildProcess, isHeld: boolean): void {
  for (const part of [child, child.stdin, child.stdout]) {
    if (part !== child && !(part instanceof Socket)) continue;
    if (isHeld) part.ref();
    else part.unref();
  }
}
