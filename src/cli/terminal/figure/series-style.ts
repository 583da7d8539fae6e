import type { Colour } from '../paint.ts';

const colours: readonly Colour[] = ['cyan', 'yellow', 'magenta', 'green', 'blue', 'red'];

/** The signs that tell series apart where there is no colour. */
const fillings = ['█', '▒', '▓', '░'];

/** The colour of the nth series. */
export function colourOf(nth: number): Colour {
  return colours[nth % colours.length] ?? 'cyan';
}

/** What the bars of the nth series are filled with. */
export function fillingOf(nth: number): string {
  return fillings[nth % fillings.length] ?? '█';
}
