import { basename, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFile } from '../core/files.ts';

/** The absolute path of the built program. */
export function programPath(): string {
  return builtFile('cli.js') ?? fileURLToPath(import.meta.url);
}

/** The command that started this program: its name where it is installed, `node` and its path in a clone. */
export function ownCommand(): string {
  const [, started = ''] = process.argv;
  if (basename(started) !== 'cli.js') return 'commerce-mcp';
  const near = relative(process.cwd(), resolve(started));
  const path = near.startsWith('..') ? resolve(started) : near;
  return `node ${/\s/.test(path) ? `"${path}"` : path}`;
}

/** A word as a shell takes it, in quotes where it has to be. */
export function shellWord(word: string): string {
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Ends the process when stdout cannot be written: with exit code 1 and a sentence for a full disk, quietly
 * for a reader that has seen enough (`| head`).
 */
export function guardOutput(): void {
  console.log = (...texts: unknown[]) => void process.stdout.write(`${texts.join(' ')}\n`);
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') console.error(`commerce-mcp: the answer could not be written: ${code}`);
    process.exit(code === 'EPIPE' ? 0 : 1);
  });
}

/** Aborts when the process is asked to stop (SIGINT, SIGTERM); asked a second time it stops at once. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      process.once(name, () => process.exit(1));
      stopping.abort();
    });
  return stopping.signal;
}
