/** One process of the engine: started with nothing in its environment, one command at a time. */
import { type ChildProcess, fork } from 'node:child_process';
import { parse } from 'node:path';
import { builtFile } from '../../core/built-file.ts';
import { outOfMemory, QueryError, statementCancelled } from '../errors.ts';
import {
  type EngineCommand,
  type EngineReply,
  type Outcome,
  outOfMemoryExit,
} from '../messages.ts';

/** What is left of a statement's time to compute. Waiting and loading do not count. */
export interface TimeLeft {
  ms: number;
  /** The whole of it, for the error text. */
  readonly limitMs: number;
  /** How long an interrupted statement may take to end. */
  readonly patienceMs: number;
}

interface Waiting {
  onRows: (text: string) => void;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

export interface WorkerOptions {
  /** The file to run. */
  entry: string;
  /** Resident memory at which the process ends itself. */
  mostMemoryMb: number;
}

/** The file of the engine's process, or undefined when it was not built. */
export function engineEntry(base: string = import.meta.url): string | undefined {
  return builtFile('query-engine.js', base);
}

export class Worker {
  /** Resolves when it can take commands, or when it ended before. */
  readonly started: Promise<void>;
  readonly #child: ChildProcess;
  #waiting: Waiting | undefined;
  #ended: QueryError | undefined;
  #isStarted = false;
  #idle: NodeJS.Timeout | undefined;
  #start = () => {};

  /** Starts a process. It fails with its first command when it cannot run. */
  constructor({ entry, mostMemoryMb }: WorkerOptions) {
    this.started = new Promise((resolve) => {
      this.#start = resolve;
    });
    this.#child = fork(entry, [String(mostMemoryMb)], {
      cwd: parse(process.execPath).root,
      env: environment(),
      execArgv: [`--max-old-space-size=${mostMemoryMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (reply: EngineReply) => this.#take(reply));
    this.#child.on('error', (cause) =>
      this.#end(new QueryError('engine_unavailable', unavailable, { cause })),
    );
    this.#child.on('exit', (code) =>
      this.#end(this.#isStarted ? exitError(code) : neverStarted(code)),
    );
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  isAlive(): boolean {
    return this.#ended === undefined;
  }

  /**
   * Runs the statement that is open; `onRows` gets the JSON arrays of rows as they come.
   * @throws {QueryError} what the engine says, or that the process ended before the answer
   */
  run(onRows: (text: string) => void): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended);
      this.#waiting = { onRows, resolve, reject };
      // Its exit says more than a channel that is closed.
      this.#child.send({ op: 'run' }, () => {});
    });
  }

  /** Sends a command that is not answered; resolves when the channel takes more. */
  async post(command: EngineCommand): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    await new Promise<void>((resolve) => this.#child.send(command, () => resolve()));
  }

  /**
   * Does `work` within the time that is left, and takes off what it took. `check` throws when the time
   * is over, for work that goes on without the process.
   * @throws {QueryError} `out_of_time`, or `cancelled` when the signal says so
   */
  async within<Result>(
    left: TimeLeft,
    signal: AbortSignal,
    now: () => number,
    work: (check: () => void) => Promise<Result>,
  ): Promise<Result> {
    let reason: QueryError | undefined;
    let force: NodeJS.Timeout | undefined;
    const stop = (because: QueryError) => {
      if (reason !== undefined) return;
      reason = because;
      if (this.isAlive()) this.#child.send({ op: 'interrupt' }, () => {});
      force = setTimeout(() => this.kill(), left.patienceMs);
    };
    const cancel = () => stop(statementCancelled());
    const timer = setTimeout(() => stop(outOfTime(left.limitMs)), Math.max(0, left.ms));
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    const startedMs = now();
    const check = () => {
      if (reason !== undefined) throw reason;
    };
    try {
      const result = await work(check);
      check();
      return result;
    } catch (error) {
      throw reason ?? error;
    } finally {
      left.ms -= now() - startedMs;
      clearTimeout(timer);
      clearTimeout(force);
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Takes up work: from now on it keeps the server's process running. */
  wake(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    this.#child.ref();
    this.#child.channel?.ref();
  }

  /** Ends in a while, unless it is woken before. */
  rest(idleMs: number): void {
    this.#idle = setTimeout(() => this.kill(), idleMs).unref();
    this.#child.unref();
    this.#child.channel?.unref();
  }

  get isResting(): boolean {
    return this.#idle !== undefined;
  }

  kill(): void {
    this.#end(new QueryError('engine_failed', stopped));
  }

  #take(reply: EngineReply): void {
    if (reply.kind === 'ready') {
      this.#isStarted = true;
      this.#start();
    }
    if (reply.kind === 'ready' || this.#waiting === undefined) return;
    if (reply.kind === 'rows') {
      this.#waiting.onRows(reply.text);
      return;
    }
    const { resolve, reject } = this.#waiting;
    this.#waiting = undefined;
    if (reply.kind === 'failed') reject(new QueryError(reply.code, reply.message));
    else resolve(reply);
  }

  #end(error: QueryError): void {
    this.#start();
    this.#ended ??= error;
    this.#child.kill('SIGKILL');
    this.#waiting?.reject(this.#ended);
    this.#waiting = undefined;
  }
}

const stopped = 'The query engine was stopped while it worked on this statement. Ask again.';
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

function outOfTime(limitMs: number): QueryError {
  return new QueryError(
    'out_of_time',
    `The statement computed for ${limitMs / 1000} seconds, which is the most, and was stopped. Read a shorter period, filter before joining, and check that every join has its condition and every recursion its end.`,
  );
}

/** Nothing of the server's own environment; Windows starts no program without its root. */
function environment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env;
  return { TZ: 'UTC', ...(process.platform === 'win32' && { SystemRoot }) };
}
