/** Child processes of this program, both ends of the channel: what starts one and asks it, and what answers. */
import { fork, type ChildProcess as NodeProcess } from 'node:child_process';
import { parse } from 'node:path';

interface Request<Command> {
  command: Command;
  limitMs: number;
}

/** That the process is ready, a part of an answer, or its end; after `isSpent` the process takes no more commands. */
type Message<Part, Reply> = 'ready' | { part: Part } | { reply: Reply; isSpent: boolean };

interface Waiting<Part, Reply> {
  onPart(part: Part): void;
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

/** A process ended that nobody here had ended. */
export class ProcessEndedError extends Error {
  override readonly name = 'ProcessEndedError';
  /** False where a signal ended it. */
  readonly isByItself: boolean;

  constructor(exitCode: number | null) {
    super(`the process ended (${exitCode ?? 'by a signal'})`);
    this.isByItself = exitCode !== null;
  }
}

interface ChildOptions {
  args: readonly (string | number)[];
  /** It is ended when nothing used it for so long. */
  idleMs: number;
  /** Most memory of its JavaScript. @default Node's own bound */
  heapMb?: number;
}

/** A process with nothing in its environment, which answers commands in their order. */
export class ChildProcess<Command, Part, Reply> {
  /** Resolves when it serves. @throws why it ended before */
  readonly ready: Promise<void>;
  readonly #child: NodeProcess;
  readonly #idleMs: number;
  readonly #waiting: Waiting<Part, Reply>[] = [];
  #onReady = () => {};
  #end: Error | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** Starts it. Where it cannot be started, `ready` and what is asked of it fail. */
  constructor(entry: string, { args, idleMs, heapMb }: ChildOptions) {
    this.#idleMs = idleMs;
    const { SystemRoot } = process.env;
    this.#child = fork(entry, args.map(String), {
      cwd: parse(process.execPath).root,
      // Windows starts no program without its root.
      env: { TZ: 'UTC', ...(process.platform === 'win32' && { SystemRoot }) },
      execArgv: heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.ready = new Promise((resolve, reject) => {
      this.#onReady = resolve;
      const onExit = (error: Error) => {
        this.#end ??= error;
        clearTimeout(this.#idle);
        reject(this.#end);
        for (const each of this.#waiting.splice(0)) each.reject(this.#end);
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
    return this.#end === undefined;
  }

  /**
   * Asks it. While it works, it keeps this process running.
   * @param limitMs it ends itself when it has worked on the command for longer than that, and a little
   * @throws why it ended before the answer, or what `onPart` throws, when the answer is whole
   */
  async ask(
    command: Command,
    limitMs: number,
    onPart: (part: Part) => void = () => {},
  ): Promise<Reply> {
    if (this.#end) throw this.#end;
    clearTimeout(this.#idle);
    this.#child.ref();
    this.#child.channel?.ref();
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.push({ onPart, resolve, reject });
        const request: Request<Command> = { command, limitMs };
        // Why it ended is reported by its exit, not by the error of a closed channel.
        this.#child.send(request, () => {});
      });
    } finally {
      if (this.#waiting.length === 0) this.#rest();
    }
  }

  /** Apart from `ask`, whose closures share one scope: its timer would hold `onPart`, and with it every row. */
  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    if (this.#end === undefined) this.#idle = setTimeout(() => this.kill(), this.#idleMs).unref();
  }

  /** Ends it, what it does included; who waits gets the reason when it has ended. */
  kill(reason = new Error('the process was ended')): void {
    this.#end ??= reason;
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

/** How much longer than its limit a process works on a command, where who started it does not end it. */
const spareMs = 1000;

/**
 * Answers the commands of who started this process, one after the other, and ends with it.
 *
 * @param carryOut gives parts of the answer on its way; each is awaited until it has left. It never throws
 * @param isSpent whether the process should answer no more, asked after each answer
 * @returns what answers the command under way for good, and ends the process
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
    // It ends also where the parent does not read the reply.
    setTimeout(endAtOnce, spareMs);
    void send({ reply, isSpent: true }).then(endAtOnce);
  };
}

/** Ends this process. `process.exit` would wait for what native code computes in threads of its own. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL');
}
