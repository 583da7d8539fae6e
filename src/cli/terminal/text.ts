import { type ConfigProblem, problemLines } from '../../config/config.ts';
import { ProgressReporter } from '../../mcp/server/progress.ts';
import { ownCommand } from '../program.ts';

/** Lists the settings that prevent a start, and how to try it without an account. */
export function sayProblems(problems: readonly ConfigProblem[]): string {
  const isMissing = problems.some(({ problem }) => problem.code === 'missing_setting');
  const hint = `\nNo credentials yet? Try it with invented data: ${ownCommand()} demo, or add --sandbox.`;
  const lines = problemLines(problems).map((line) => `  ${line}`);
  return ['commerce-mcp cannot start:', ...lines, ...(isMissing ? [hint] : [])].join('\n');
}

/** Writes a text to stderr, broken at words at a terminal. */
export function say(text: string): void {
  const { isTTY, columns } = process.stderr;
  console.error(wrap(text, isTTY ? columns || 80 : undefined).join('\n'));
}

/**
 * A line of stderr that is rewritten each time. Call `clear` before printing anything else. Silent where stderr is
 * not a terminal.
 */
export function openStatusLine() {
  const { stderr } = process;
  const start = '\r\u001b[K';
  let isShown = false;
  const write = (text: string) => {
    if (!stderr.isTTY) return;
    // A line that reaches the edge would break, and its beginning would stay.
    stderr.write(start + text.slice(0, (stderr.columns || 80) - 1));
    isShown = true;
  };
  const reporter = new ProgressReporter(({ message }) => write(message));
  return {
    show: write,
    report: reporter.report.bind(reporter),
    clear() {
      reporter.stop();
      if (isShown) stderr.write(start);
      isShown = false;
    },
  };
}

export function print(text: string): void {
  const { isTTY, columns } = process.stdout;
  console.log(wrap(text, isTTY ? columns : undefined).join('\n'));
}

export function shownLength(text: string): number {
  return [...text].length;
}

/**
 * Breaks a text at spaces into lines of at most `width` characters. Continuations keep the indent of their line, and
 * longer words stay whole.
 */
export function wrap(text: string, width = Number.POSITIVE_INFINITY): string[] {
  return text.split('\n').flatMap((line) => {
    const indent = /^\s*/.exec(line)?.[0] ?? '';
    const broken: string[] = [];
    for (const word of line.trim().split(' ')) {
      const longer = `${broken.at(-1)} ${word}`;
      if (broken.length === 0 || shownLength(indent + longer) > width) broken.push(word);
      else broken[broken.length - 1] = longer;
    }
    return broken.map((words) => indent + words);
  });
}
