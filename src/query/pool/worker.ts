/** One process of the engine: started with nothing in its environment, one statement at a time. */
import { type ChildProcess, fork } from 'node:child_process';
import { parse } from 'node:path';
import { outOfMemory, QueryError, statementCancelled } from '../errors.ts';
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
  /** When it can take a statement. */
  readonly #ready: Promise<void>;
  /** Why it ended, as soon as it did. */
  readonly #end: Promise<QueryError>;
  #killedFor: QueryError | undefined;
  #idle: NodeJS.Timeout | undefined;

  /**
   * Starts a process. It fails with its first statement when it cannot run.
   * @param entry the file to run
   * @param bounds.idleMs it ends when nothing used it for so long
   */
  constructor(
    entry: string,
    { memoryMb, threads, idleMs }: { memoryMb: number; threads: number; idleMs: number },
  ) {
    this.#idleMs = idleMs;
    const mostMemoryMb = memoryMb + overheadMb;
    this.#child = fork(entry, [memoryMb, threads, mostMemoryMb].map(String), {
      cwd: parse(process.execPath).root,
      env: environment(),
      execArgv: [`--max-old-space-size=${mostMemoryMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    let isReady = false;
    this.#ready = new Promise<void>((resolve) => {
      this.#child.once('message', () => {
        isReady = true;
        resolve();
      });
    });
    this.#end = new Promise((resolve) => {
      this.#child.on('error', (cause) => resolve(unavailable(cause)));
      this.#child.on('exit', (code) => {
        if (this.#killedFor) resolve(this.#killedFor);
        else if (code === outOfMemoryExit) resolve(outOfMemory());
        // A process that ends by itself before it can take a statement will do so the next time.
        else resolve(isReady || code === null ? stopped() : unavailable());
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    const { exitCode, signalCode, killed } = this.#child;
    return exitCode === null && signalCode === null && !killed;
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
    const ended = await Promise.race([this.#ready, this.#end]);
    if (ended instanceof QueryError) throw ended;
    const { limitMs, leftMs, signal } = time;
    const cancel = () => this.kill(statementCancelled());
    const timer = setTimeout(() => this.kill(outOfTime(limitMs)), leftMs);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    const startedMs = performance.now();
    try {
      const answered = new Promise<EngineReply>((resolve) => this.#child.once('message', resolve));
      // Its exit says more than a channel that is closed.
      this.#child.send(statement, () => {});
      const reply = await Promise.race([answered, this.#end]);
      if (reply instanceof QueryError) throw reply;
      if (reply.kind === 'failed') throw new QueryError(reply.code, reply.message);
      return reply;
    } finally {
      time.leftMs -= performance.now() - startedMs;
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      this.#rest();
    }
  }

  kill(reason = stopped()): void {
    this.#killedFor ??= reason;
    this.#child.kill('SIGKILL');
  }

  #rest(): void {
    this.#idle = setTimeout(() => this.kill(), this.#idleMs).unref();
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

function stopped(): QueryError {
  return new QueryError(
    'engine_failed',
    'The query engine was stopped while it worked on this statement. Ask again.',
  );
}

function unavailable(cause?: unknown): QueryError {
  return new QueryError(
    'engine_unavailable',
    'The query engine cannot be loaded on this platform. Use the tools that read lists and reports instead.',
    { cause },
  );
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
