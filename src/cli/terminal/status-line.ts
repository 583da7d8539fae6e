import { createProgressReporter, type ProgressReporter } from '../../mcp/server/progress.ts';

/** Progress on one line of a terminal, written over each time. */
export interface StatusLine {
  report: ProgressReporter['report'];
  /** Takes the line away; must be called before anything else is printed. */
  clear(): void;
}

/** A stream that may be a terminal. */
export type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;

/** Says how far a long read is, and each second that it still is, where the stream is a terminal. */
export function openStatusLine(stream: Terminal = process.stderr): StatusLine {
  if (!stream.isTTY) return { report: () => {}, clear: () => {} };
  let isShown = false;
  const reporter = createProgressReporter(({ message }) => {
    // A line that reached the edge would break, and its beginning could not be taken away.
    stream.write(`\r\u001b[K${message.slice(0, (stream.columns || 80) - 1)}`);
    isShown = true;
  });
  return {
    report: reporter.report,
    clear() {
      reporter.stop();
      if (isShown) stream.write('\r\u001b[K');
      isShown = false;
    },
  };
}
