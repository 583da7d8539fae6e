/**
 * What a command prints has arrived, or the command has failed: a full disk ends it with exit code 1
 * and a sentence, and a reader that has seen enough (`| head`) ends it quietly.
 */
export function guardOutput(exit: (code: number) => void = (code) => process.exit(code)): void {
  console.log = (...texts: unknown[]) => void process.stdout.write(`${texts.join(' ')}\n`);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    const code = exitCodeOf(error);
    if (code !== 0) console.error(`commerce-mcp: the answer could not be written: ${error.code}`);
    exit(code);
  });
}

/** Whoever does not read what goes wrong still gets the answer, and the others are still served. */
export function ignoreUnreadErrors(): void {
  process.stderr.on('error', () => {});
}

/** A closed pipe is its reader's wish. */
export function exitCodeOf({ code }: NodeJS.ErrnoException): 0 | 1 {
  return code === 'EPIPE' ? 0 : 1;
}
