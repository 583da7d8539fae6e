import { ProgressReporter } from '../../mcp/server/progress.ts';

/** One line that is written over each time; silent where the stream is no terminal. */
export interface StatusLine extends Pick<ProgressReporter, 'report'> {
  show(text: string): void;
  /** Takes the line away; must be called before anything else is printed. */
  clear(): void;
}

/** A line that says what is waited for, and with `report` how far a long read is. */
export function openStatusLine(): StatusLine {
  const stream = process.stderr;
  const start = '\r\u001b[K';
  let isShown = false;
  const show = (text: string) => {
    if (!stream.isTTY) return;
    // A line that reached the edge would break, and its beginning could not be taken away.
    stream.write(start + text.slice(0, (stream.columns || 80) - 1));
    isShown = true;
  };
  const reporter = new ProgressReporter(({ message }) => show(message));
  return {
    show,
    report: (progress) => reporter.report(progress),
    clear() {
      reporter.stop();
      if (isShown) stream.write(start);
      isShown = false;
    },
  };
}
