/** Child processes of this program: the parent's end of the channel, and the child's. */
import { fork, type ChildProcess as NodeProcess } from 'node:child_process';
import { parse } from 'node:path';

interface Request<Command> {
  command: Command;
  limitMs: number;
}

/** Sent by the child. After `isSpent` it takes no more commands. */
type Message<Part, Reply> = 'ready' | { part: Part } | { reply: Reply; isSpent: boolean };

interface Waiting<Part, Reply> {
  onPart(part: Part): void;
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

/** The child process ended, and we did not end it. */
export class ProcessEndedError extends Error {
  override readonly name = 'ProcessEndedError';
  /** False where a signal ended it. */
  readonly hasExited: boolean;

  constructor(exitCode: number | null) {
    super(`the process ended (${exitCode ?? 'by a signal'})`);
    this.hasExited = exitCode !== null;
  }
}

interface ChildOptions {
  args: readonly (string | number)[];
  /** The process is killed after so long without a command. */
  idleMs: number;
  /** Bound on the JavaScript heap. @default Node's own */
  heapMb?: number;
}

/** A process with an empty environment that answers commands in order. */
export class ChildProcess<Command, Part, Reply> {
  /** Resolves when the process takes commands. @throws why it ended instead */
  readonly ready: Promise<void>;
  readonly #child: NodeProcess;
  readonly #idleMs: number;
  readonly #waiting: Waiting<Part, Reply>[] = [];
  #onReady = () => {};
  #endReason: Error | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** Where the process cannot be started, `ready` and `ask` fail. */
  constructor(entry: string, { args, idleMs, heapMb }: ChildOptions) {
    this.#idleMs = idleMs;
    const { SystemRoot } = process.env;
    this.#child = fork(entry, args.map(String), {
      cwd: parse(process.execPath).root,
      // Windows starts no program without SystemRoot.
      env: { TZ: 'UTC', ...(process.platform === 'win32' && { SystemRoot }) },
      execArgv: heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.ready = new Promise((resolve, reject) => {
      this.#onReady = resolve;
      const onExit = (error: Error) => {
        this.#endReason ??= error;
        clearTimeout(this.#idle);
        reject(this.#endReason);
        for (const each of this.#waiting.splice(0)) each.reject(this.#endReason);
      };
      this.#child.on('error', onExit);
      this.#child.on('exit', (code) => onExit(new ProcessEndedError(code)));
    });
    this.ready.catch(() => {});
    this.#child.on('message', (message: Message<Part, Reply>) => this.#receive(message));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#endReason === undefined;
  }

  /**
   * While the child works, it keeps this process running.
   * @param limitMs the child ends itself soon after this time
   * @throws why the child ended without an answer; the error of `onPart`, once the answer is complete
   */
  async ask(
    command: Command,
    limitMs: number,
    onPart: (part: Part) => void = () => {},
  ): Promise<Reply> {
    if (this.#endReason) throw this.#endReason;
    clearTimeout(this.#idle);
    this.#child.ref();
    this.#child.channel?.ref();
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.push({ onPart, resolve, reject });
        const request: Request<Command> = { command, limitMs };
        // The handler of `exit` reports the failure, so the error of a closed channel is ignored.
        this.#child.send(request, () => {});
      });
    } finally {
      if (this.#waiting.length === 0) this.#startIdling();
    }
  }

  /** Not within `ask`: the timer would share a scope with `onPart`, and so keep every row in memory. */
  #startIdling(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    if (this.#endReason === undefined)
      this.#idle = setTimeout(() => this.kill(), this.#idleMs).unref();
  }

  /** Calls of `ask` under way reject with the reason once the process has ended. */
  kill(reason = new Error('the process was ended')): void {
    this.#endReason ??= reason;
    clearTimeout(this.#idle);
    this.#child.kill('SIGKILL');
  }

  #receive(message: Message<Part, Reply>): void {
    const [first] = this.#waiting;
    if (message === 'ready') this.#onReady();
    else if ('part' in message) {
      try {
        first?.onPart(message.part);
      } catch (error) {
        first?.reject(error);
      }
    } else {
      this.#waiting.shift();
      if (message.isSpent) this.kill();
      first?.resolve(message.reply);
    }
  }
}

/** Time after its limit in which the parent may kill the child, before the child ends itself. */
const spareMs = 1000;

/**
 * Answers the parent's commands one after the other, and ends with the parent.
 *
 * @param carryOut never throws; `give` sends a part of the answer and resolves when it has left
 * @param isSpent asked after each answer: whether the process should take no more commands
 * @returns a function that replies to the command under way and ends the process
 */
export function serveParent<Command, Part, Reply>(
  carryOut: (command: Command, give: (part: Part) => Promise<void>) => Promise<Reply>,
  isSpent = () => false,
): (reply: Reply) => void {
  const send = (message: Message<Part, Reply>) =>
    new Promise<void>((resolve) => {
      process.send?.(message, () => resolve());
    });
  async function answer({ command, limitMs }: Request<Command>): Promise<void> {
    const timer = setTimeout(endAtOnce, limitMs + spareMs);
    const reply = await carryOut(command, (part) => send({ part }));
    clearTimeout(timer);
    await send({ reply, isSpent: isSpent() });
  }
  let last = Promise.resolve();
  process.on('message', (request: Request<Command>) => {
    last = last.then(() => answer(request)).catch(endAtOnce);
  });
  process.on('disconnect', endAtOnce);
  void send('ready');
  return (reply) => {
    // The parent may not read the reply.
    setTimeout(endAtOnce, spareMs);
    void send({ reply, isSpent: true }).then(endAtOnce);
  };
}

/** `process.exit` would wait for threads of native code. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL');
}
