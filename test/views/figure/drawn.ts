/** What a picture shows, read back from its shapes. */
import type { Frame, Page } from 'playwright-core';

/** A bar from its root to its end, in pixels; to the left and upwards are negative. */
export interface Bar {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The bars of one colour, in the order of their labels. The signs of a legend are shapes moved there. */
export async function readBars(frame: Frame | Page, color: string): Promise<Bar[]> {
  const shapes = await shapesOf(frame, `path[fill="${color}"]:not([transform])`);
  return shapes.flatMap((shape) => {
    const found = /^M(\S+) (\S+)l(\S+) 0l0 (\S+)l\S+ 0Z$/.exec(shape);
    if (!found) return [];
    const [x = 0, y = 0, width = 0, height = 0] = found.slice(1).map(Number);
    return [{ x, y, width, height }];
  });
}

/** The pieces of the line of one colour: corners as x and y in pixels from the top left. */
export async function readLine(frame: Frame | Page, color: string): Promise<Point[][]> {
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

export interface Point {
  x: number;
  y: number;
}

function shapesOf(frame: Frame | Page, selector: string): Promise<string[]> {
  return frame
    .locator(`.canvas svg ${selector}`)
    .evaluateAll((paths) => paths.map((path) => path.getAttribute('d') ?? ''));
}
