import { ProgressReporter } from '../../mcp/server/progress.ts';
import { person, type Said } from './catalogue/catalogue.ts';

/**
 * One line of stderr that is written over each time: `show` says how far something is, `report` how far a
 * long read is. `clear` must be called before anything else is printed. Silent where stderr is no terminal.
 */
export function openStatusLine() {
  const { stderr } = process;
  const start = '\r\u001b[K';
  let isShown = false;
  const write = (text: string) => {
    if (!stderr.isTTY) return;
    // A line that reached the edge would break, and its beginning could not be taken away.
    stderr.write(start + text.slice(0, (stderr.columns || 80) - 1));
    isShown = true;
  };
  const reporter = new ProgressReporter(({ message }) => write(message));
  return {
    show: (message: Said) => write(person.say(message)),
    report: reporter.report.bind(reporter),
    clear() {
      reporter.stop();
      if (isShown) stderr.write(start);
      isShown = false;
    },
  };
}
