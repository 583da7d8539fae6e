let isGuarded: NodeJS.WriteStream | undefined;

/**
 * Ends the process when stdout cannot be written: with exit code 1 and a sentence for a full disk, quietly
 * for a reader that has seen enough (`| head`).
 */
export function guardOutput(exit: (code: number) => void = (code) => process.exit(code)): void {
  if (isGuarded === process.stdout) return;
  isGuarded = process.stdout;
  console.log = (...texts: unknown[]) => void process.stdout.write(`${texts.join(' ')}\n`);
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') console.error(`commerce-mcp: the answer could not be written: ${code}`);
    exit(code === 'EPIPE' ? 0 : 1);
  });
}

/** A failure to write to stderr stops nothing: the answer still arrives, and others are still served. */
export function ignoreUnreadErrors(): void {
  process.stderr.on('error', () => {});
}

/** Resolves when the process is asked to stop (SIGINT, SIGTERM); a second time it stops at once. */
export function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve();
      });
    }
  });
}
