import { styleText } from 'node:util';

/** A colour of a terminal. */
export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan';

/** Text in a style where the stream is a terminal that wants one (`NO_COLOR`, `TERM`); plain text elsewhere. */
export function paint(
  style: 'bold' | 'dim' | Colour,
  text: string,
  { isTTY = false }: { isTTY?: boolean } = process.stdout,
): string {
  const { NO_COLOR = '', TERM } = process.env;
  const isWanted = isTTY && NO_COLOR === '' && TERM !== 'dumb';
  return isWanted ? styleText(style, text, { validateStream: false }) : text;
}
