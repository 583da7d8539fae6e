import { styleText } from 'node:util';

/** What is needed of a stream and its surroundings to know whether colour is welcome. */
export interface Surface {
  isTTY?: boolean;
}

/** Colour is for terminals, unless `NO_COLOR` says something or the terminal can do nothing. */
export function wantsColour(
  { isTTY = false }: Surface,
  { NO_COLOR = '', TERM }: Record<string, string | undefined>,
): boolean {
  return isTTY && NO_COLOR === '' && TERM !== 'dumb';
}

/** A colour of a terminal. */
export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan';

/** Text in a style where the stream is a terminal that wants one; plain text elsewhere. */
export function paint(
  style: 'bold' | 'dim' | Colour,
  text: string,
  surface: Surface = process.stdout,
): string {
  return wantsColour(surface, process.env)
    ? styleText(style, text, { validateStream: false })
    : text;
}
