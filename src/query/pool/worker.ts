/** One process of the engine: started with nothing in its environment, one command at a time. */
import { type ChildProcess, fork } from 'node:child_process';
import { parse } from 'node:path';
import { outOfMemory, QueryError, statementCancelled } from '../errors.ts';
import {
  type EngineCommand,
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
  /** How long an interrupted statement may take to end. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

export class Worker {
  /** Resolves when it can take commands, or when it ended before. */
  readonly started: Promise<void>;
  readonly #child: ChildProcess;
  /** What the statement that runs waits for. */
  #waiting: { onRows(text: string): void; end(outcome: Outcome | QueryError): void } | undefined;
  #ended: QueryError | undefined;
  #idle: NodeJS.Timeout | undefined;

  /**
   * Starts a process. It fails with its first command when it cannot run.
   * @param entry the file to run
   * @param mostMemoryMb resident memory at which the process ends itself
   */
  constructor(entry: string, mostMemoryMb: number) {
    this.#child = fork(entry, [String(mostMemoryMb)], {
      cwd: parse(process.execPath).root,
      env: environment(),
      execArgv: [`--max-old-space-size=${mostMemoryMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.started = new Promise((resolve) => {
      let isStarted = false;
      this.#child.on('message', (reply: EngineReply) => {
        isStarted = true;
        resolve();
        this.#take(reply);
      });
      const end = (error: QueryError) => {
        this.#end(error);
        resolve();
      };
      this.#child.on('error', (cause) => end(unavailable(cause)));
      this.#child.on('exit', (code) => {
        if (code === outOfMemoryExit) end(outOfMemory());
        // A process that ends by itself before it can take commands will do so the next time.
        else end(isStarted || code === null ? stopped() : unavailable());
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#ended === undefined;
  }

  get isResting(): boolean {
    return this.#idle !== undefined;
  }

  /**
   * Runs a statement; `onRows` gets the JSON arrays of rows as they come.
   * @throws {QueryError} what the engine says, or that the process ended before the answer
   */
  async run(statement: SentStatement, onRows: (text: string) => void): Promise<Outcome> {
    const outcome = await new Promise<Outcome | QueryError>((end) => {
      if (this.#ended !== undefined) return end(this.#ended);
      this.#waiting = { onRows, end };
      this.#send({ op: 'run', ...statement });
    });
    if (outcome instanceof QueryError) throw outcome;
    return outcome;
  }

  /**
   * Does `work` within the time that is left, and takes off what it took. Its signal says that the time
   * is over.
   * @throws {QueryError} `out_of_time`, or `cancelled` when the caller's signal says so
   */
  async within<Result>(
    time: Computing,
    work: (over: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { signal, limitMs, patienceMs } = time;
    // A signal of Node's own that combines others, or waits, may be collected before it fires.
    const over = new AbortController();
    let force: NodeJS.Timeout | undefined;
    const stop = (reason: QueryError) => {
      if (over.signal.aborted) return;
      over.abort(reason);
      this.#send({ op: 'interrupt' });
      force = setTimeout(() => this.kill(), patienceMs);
    };
    const cancel = () => stop(statementCancelled());
    const timer = setTimeout(() => stop(outOfTime(limitMs)), Math.max(0, time.leftMs));
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    const startedMs = performance.now();
    try {
      const result = await work(over.signal);
      over.signal.throwIfAborted();
      return result;
    } catch (error) {
      throw over.signal.aborted ? over.signal.reason : error;
    } finally {
      time.leftMs -= performance.now() - startedMs;
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

  kill(): void {
    this.#end(stopped());
  }

  #send(command: EngineCommand): void {
    // Its exit says more than a channel that is closed.
    if (this.isAlive) this.#child.send(command, () => {});
  }

  #take(reply: EngineReply): void {
    if (reply.kind === 'ready') return;
    if (reply.kind === 'rows') this.#waiting?.onRows(reply.text);
    else this.#answer(reply.kind === 'failed' ? new QueryError(reply.code, reply.message) : reply);
  }

  #answer(outcome: Outcome | QueryError): void {
    this.#waiting?.end(outcome);
    this.#waiting = undefined;
  }

  #end(error: QueryError): void {
    this.#ended ??= error;
    this.#child.kill('SIGKILL');
    this.#answer(this.#ended);
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
