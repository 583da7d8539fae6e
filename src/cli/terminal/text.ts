/** Sentences for a person: in a style, broken at words, in the words that one types. */
import { styleText } from 'node:util';
import wrapAnsi from 'wrap-ansi';
import type { FigureLocale } from '../../analysis/figure/figure-text.ts';
import { passOn } from '../../core/text.ts';

/** A colour of a terminal. */
export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan';

/** Text in a style where the stream is a terminal that wants one (`NO_COLOR`, `TERM`); plain text elsewhere. */
export function paint(
  style: 'bold' | 'dim' | Colour,
  text: string,
  stream: NodeJS.WritableStream = process.stdout,
): string {
  return styleText(style, text, { stream });
}

/** Says something on stderr: in sentences for a person and broken at words where it is a terminal. */
export function say(text: string, style?: Colour | 'dim'): void {
  const { stderr } = process;
  const lines = stderr.isTTY ? wrap(forPerson(text), stderr.columns || 80) : text.split('\n');
  console.error(style ? paint(style, lines.join('\n'), stderr) : lines.join('\n'));
}

/** Prints a text, broken at words where a person reads it. */
export function print(text: string): void {
  const { isTTY, columns } = process.stdout;
  console.log(wrap(text, isTTY ? columns : undefined).join('\n'));
}

const figureSigns = {
  en: { thousands: ',', decimals: '.' },
  nl: { thousands: '.', decimals: ',' },
};

/** A plain figure in the signs of its reader, as drawings have it: no digit comes or goes. */
export function figureText(plain: string, locale: FigureLocale): string {
  const { thousands, decimals } = figureSigns[locale];
  const [whole = '', ...rest] = plain.split('.');
  return [whole.replaceAll(/\B(?=(\d{3})+$)/g, thousands), ...rest].join(decimals);
}

/**
 * A sentence written for models as a person reads it: Amsterdam times to the minute, arguments as they are
 * typed (`period=yesterday` for `period: "yesterday"`), no advice on how to hand figures on.
 */
export function forPerson(text: string): string {
  return shortTimes(text)
    .replaceAll(` ${passOn}`, '')
    .replaceAll(/(?<=[ (])([a-z_]+): "([^"\s]*)"/g, '$1=$2')
    .replaceAll(/(?<=[ (])([a-z_]+): ("[^"]*"|true|false|\d+)(?=[\s,.;)]|$)/g, '$1=$2');
}

/** Amsterdam times to the minute; another offset stays, for it says whose time it is. */
export function shortTimes(text: string): string {
  return text.replaceAll(
    /(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(\+0[12]:00|(?![-+Z.:\d]))/g,
    '$1 $2',
  );
}

/**
 * Lines of at most `width` cells, broken at spaces and at the text's own line ends; without a width only
 * at the latter. The indentation of a line is that of its continuations, and a longer word stays whole.
 */
export function wrap(text: string, width = Number.POSITIVE_INFINITY): string[] {
  return text.split('\n').flatMap((line) => {
    const indent = /^\s*/.exec(line)?.[0] ?? '';
    const broken = wrapAnsi(line.trim(), Math.max(1, width - indent.length));
    return broken.split('\n').map((it) => indent + it);
  });
}
