/** Sentences for a person: in a style, broken at words, in the words that one types. */
import { stripVTControlCharacters, styleText } from 'node:util';
import { type ConfigProblem, problemLines } from '../../config/config.ts';
import { ProgressReporter } from '../../mcp/server/progress.ts';
import { ownCommand } from '../program.ts';

/** A colour of a terminal. */
export type Colour = 'red' | 'green' | 'yellow';

/** Text in a style where the stream is a terminal that wants one (`NO_COLOR`, `TERM`); plain text elsewhere. */
export function paint(
  style: 'bold' | 'dim' | Colour,
  text: string,
  stream: NodeJS.WritableStream = process.stdout,
): string {
  return styleText(style, text, { stream });
}

/** The settings that prevent a start, a line each, and how to try it without an account. */
export function sayProblems(problems: readonly ConfigProblem[]): string {
  const isMissing = problems.some(({ problem }) => problem.code === 'missing_setting');
  const hint = `\nNo credentials yet? Try it with invented data: ${ownCommand()} demo, or add --sandbox.`;
  const lines = problemLines(problems).map((line) => `  ${line}`);
  return ['commerce-mcp cannot start:', ...lines, ...(isMissing ? [hint] : [])].join('\n');
}

/** Writes a text to stderr, broken at words where it is a terminal. */
export function say(text: string, style?: Colour | 'dim'): void {
  const { stderr } = process;
  const lines = wrap(text, stderr.isTTY ? stderr.columns || 80 : undefined);
  console.error(style ? paint(style, lines.join('\n'), stderr) : lines.join('\n'));
}

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
    show: write,
    report: reporter.report.bind(reporter),
    clear() {
      reporter.stop();
      if (isShown) stderr.write(start);
      isShown = false;
    },
  };
}

/** Prints a text, broken at words where a person reads it. */
export function print(text: string): void {
  const { isTTY, columns } = process.stdout;
  console.log(wrap(text, isTTY ? columns : undefined).join('\n'));
}

/** Characters of a text that a terminal shows. */
export function shownLength(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}

/**
 * Lines of at most `width` characters, broken at spaces and at the text's own line ends; without a width only
 * at the latter. The indentation of a line is that of its continuations, and a longer word stays whole.
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
