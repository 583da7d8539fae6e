/** What a picture shows, read back from its shapes. */
import type { Frame, Page } from 'playwright-core';

/**
 * The bars of one colour in pixels, in the order of their labels; widths to the left are negative. The
 * signs of a legend are shapes moved there.
 */
export async function readBars(frame: Frame | Page, color: string) {
  const shapes = await shapesOf(frame, `path[fill="${color}"]:not([transform])`);
  return shapes.flatMap((shape) => {
    const found = /^M\S+ (\S+)l(\S+) 0l0 \S+l\S+ 0Z$/.exec(shape);
    return found ? [{ y: Number(found[1]), width: Number(found[2]) }] : [];
  });
}

/** The pieces of the line of one colour: corners as x and y in pixels from the top left. */
export async function readLine(frame: Frame | Page, color: string) {
  const shapes = await shapesOf(frame, `path[stroke="${color}"]:not([transform])`);
  return shapes.flatMap((shape) =>
    shape
      .split('M')
      .map((piece) =>
        [...piece.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => ({
          x: Number(x),
          y: Number(y),
        })),
      )
      .filter((piece) => piece.length > 0),
  );
}

function shapesOf(frame: Frame | Page, selector: string): Promise<string[]> {
  return frame
    .locator(`.canvas svg ${selector}`)
    .evaluateAll((paths) => paths.map((path) => path.getAttribute('d') ?? ''));
}
