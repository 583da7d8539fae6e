import { createProgressReporter, type ProgressReporter } from '../../mcp/server/progress.ts';

/** A stream that may be a terminal. */
export type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;

/** One line that is written over each time; silent where the stream is no terminal. */
export interface WaitingLine {
  show(text: string): void;
  /** Takes the line away; must be called before anything else is printed. */
  clear(): void;
}

/** A line that says what is waited for. */
export function openWaitingLine(stream: Terminal = process.stderr): WaitingLine {
  if (!stream.isTTY) return { show: () => {}, clear: () => {} };
  const start = '\r\u001b[K';
  let isShown = false;
  return {
    show(text) {
      // A line that reached the edge would break, and its beginning could not be taken away.
      stream.write(start + text.slice(0, (stream.columns || 80) - 1));
      isShown = true;
    },
    clear() {
      if (isShown) stream.write(start);
      isShown = false;
    },
  };
}

/** Says how far a long read is, and each second that it still is. */
export function openStatusLine(
  stream?: Terminal,
): Pick<ProgressReporter, 'report'> & Pick<WaitingLine, 'clear'> {
  const line = openWaitingLine(stream);
  const reporter = createProgressReporter(({ message }) => line.show(message));
  return {
    report: reporter.report,
    clear() {
      reporter.stop();
      line.clear();
    },
  };
}
