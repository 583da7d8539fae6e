/** One process of the engine: started with nothing in its environment, one statement at a time. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { parse } from 'node:path';
import { QueryError, type QueryErrorCode } from '../errors.ts';
import {
  type EngineReply,
  type Outcome,
  outOfMemoryExit,
  type SentStatement,
} from '../messages.ts';

/** A statement's time to compute. Waiting and loading do not count. */
export interface Computing {
  leftMs: number;
  /** The whole of it, for the error text. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Resident memory that a process takes beyond its database: Node, the engine's code, rows on their way. */
const overheadMb = 512;

export class Worker {
  readonly #child: ChildProcess;
  readonly #idleMs: number;
  /** Is aborted when the process has ended, with the error of the statement that it was to run. */
  readonly #end = new AbortController();
  /** Why it was killed; it may take a moment to end. */
  #killed: QueryError | undefined;
  #isReady = false;
  #idle: NodeJS.Timeout | undefined;

  /**
   * Starts a process. It fails with its first statement when it cannot run.
   * @param bounds.idleMs it ends when nothing used it for so long
   */
  constructor(entry: string, bounds: { memoryMb: number; threads: number; idleMs: number }) {
    this.#idleMs = bounds.idleMs;
    const mostMemoryMb = bounds.memoryMb + overheadMb;
    this.#child = fork(entry, [bounds.memoryMb, bounds.threads, mostMemoryMb].map(String), {
      cwd: parse(process.execPath).root,
      env: environment(),
      execArgv: [`--max-old-space-size=${mostMemoryMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const end = (code: QueryErrorCode, cause?: unknown) =>
      this.#end.abort(new QueryError(code, undefined, { cause }));
    this.#child.on('error', (cause) => end('engine_unavailable', cause));
    this.#child.on('exit', (code) => {
      if (this.#killed) this.#end.abort(this.#killed);
      if (code === outOfMemoryExit) end('out_of_memory');
      // A process that ends by itself before it can take a statement will do so the next time.
      end(this.#isReady || code === null ? 'engine_failed' : 'engine_unavailable');
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#killed === undefined && !this.#end.signal.aborted;
  }

  get isResting(): boolean {
    return this.#idle !== undefined;
  }

  /**
   * Runs a round of a statement, and takes its time off what is left. One that is cancelled, or out of
   * time, is ended with its process.
   * @throws {QueryError} what the engine says, or why the process ended before the answer
   */
  async run(statement: SentStatement, time: Computing): Promise<Outcome> {
    // From now on it keeps the server's process running.
    clearTimeout(this.#idle);
    this.#idle = undefined;
    this.#child.ref();
    this.#child.channel?.ref();
    if (!this.#isReady) await this.#message();
    this.#isReady = true;
    const { limitMs, leftMs, signal } = time;
    const cancel = () => this.kill(new QueryError('cancelled'));
    const timer = setTimeout(() => this.kill(outOfTime(limitMs)), leftMs);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    const startedMs = performance.now();
    try {
      // Its exit says more than a channel that is closed.
      this.#child.send(statement, () => {});
      const reply: EngineReply = await this.#message();
      if (reply.kind === 'failed') throw new QueryError(reply.code, reply.message);
      return reply;
    } finally {
      time.leftMs -= performance.now() - startedMs;
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      this.#idle = setTimeout(() => this.kill(), this.#idleMs).unref();
      this.#child.unref();
      this.#child.channel?.unref();
    }
  }

  kill(reason = new QueryError('engine_failed')): void {
    this.#killed ??= reason;
    this.#child.kill('SIGKILL');
  }

  /** The next message. @throws {QueryError} why the process ended before it */
  async #message() {
    const { signal } = this.#end;
    const [message] = await once(this.#child, 'message', { signal }).catch(() => {
      throw signal.reason;
    });
    return message;
  }
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
