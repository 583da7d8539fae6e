import { basename, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFile } from '../core/files.ts';

export function programPath(): string {
  return builtFile('cli.js') ?? fileURLToPath(import.meta.url);
}

/** The command of this program: its name if installed, `node` and a path in a clone. */
export function ownCommand(): string {
  const [, script = ''] = process.argv;
  if (basename(script) !== 'cli.js') return 'commerce-mcp';
  const nearPath = relative(process.cwd(), resolve(script));
  const path = nearPath.startsWith('..') ? resolve(script) : nearPath;
  return `node ${/\s/.test(path) ? `"${path}"` : path}`;
}

/**
 * Ends the process when stdout cannot be written: with exit code 1 and a sentence, or quietly if the reader has
 * closed it (`| head`).
 */
export function guardOutput(): void {
  console.log = (...texts: unknown[]) => void process.stdout.write(`${texts.join(' ')}\n`);
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') console.error(`commerce-mcp: the answer could not be written: ${code}`);
    process.exit(code === 'EPIPE' ? 0 : 1);
  });
}

/** Aborts on SIGINT or SIGTERM; a second signal ends the process at once. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      process.once(name, () => process.exit(1));
      stopping.abort();
    });
  return stopping.signal;
}
