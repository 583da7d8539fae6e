import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { engineFor } from '../query-engine.ts';
import { binary, type Ended, environment } from '../spawn.ts';

/** Signals that commands listen for. */
const signals = ['SIGINT', 'SIGTERM'] as const;

let isRunning = false;

/**
 * Runs the command line to its end in this process, to which it belongs for as long: the same words and
 * exit codes as of a process for a tenth of the time. Log lines are not among them;
 * statements run on the engine of this worker. With `columns` both streams are a terminal, without colours.
 */
export async function runHere(
  args: readonly string[],
  settings: Record<string, string> = {},
  { columns, input = '' }: { columns?: number; input?: string } = {},
): Promise<Ended> {
  if (isRunning) throw new Error('one command at a time: they share the process');
  isRunning = true;
  const [stdout, stderr] = [new KeptText(columns), new KeptText(columns)];
  const undo = [
    replace(process, 'argv', [process.execPath, binary, ...args]),
    replace(process, 'stdin', Readable.from([Buffer.from(input)])),
    replace(process, 'stdout', stdout),
    replace(process, 'stderr', stderr),
    replace(globalThis, 'console', new Console(stdout, stderr)),
    replaceEnvironment(environment(settings)),
    ...signals.map(keepListeners),
  ];
  try {
    const code = await runCommandLine(args, engineFor(settings));
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    for (const restore of undo) restore();
    isRunning = false;
  }
}

/** A stream, and what was written to it; a terminal where it has columns. */
class KeptText extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number | undefined;

  constructor(columns: number | undefined) {
    super();
    this.isTTY = columns !== undefined;
    this.columns = columns;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** Gives an object another value for a while. */
function replace(target: object, name: string, value: unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(target, name) ?? {};
  Object.defineProperty(target, name, { configurable: true, writable: true, value });
  return () => void Object.defineProperty(target, name, own);
}

/** Changes the variables one by one: the process itself is to see them too. */
function replaceEnvironment(wanted: Record<string, string>): () => void {
  const own = { ...process.env };
  const put = (variables: NodeJS.ProcessEnv) => {
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
  };
  put(wanted);
  return () => put(own);
}

function keepListeners(signal: (typeof signals)[number]): () => void {
  const own = new Set(process.listeners(signal));
  return () => {
    for (const listener of process.listeners(signal))
      if (!own.has(listener)) process.off(signal, listener);
  };
}
