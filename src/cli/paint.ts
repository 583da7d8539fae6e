import { styleText } from 'node:util';

/** Text in a style where standard output is a terminal that wants one; plain text elsewhere. */
export function paint(style: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string): string {
  const isWanted = process.stdout.isTTY && process.env.NO_COLOR === undefined;
  return isWanted ? styleText(style, text) : text;
}
