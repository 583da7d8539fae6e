/** Numbers as block signs: bars in eighths of a cell, and sparklines. */
import type { FigureValue } from '../../../analysis/figure/figure.ts';

/** What a cell of a bar stands for. */
export interface Scale {
  /** Cells for one unit. */
  perUnit: number;
  /** Cells to the left of nothing, where numbers are below it. */
  left: number;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** The scale on which every number has a bar within so many cells; all bars start at nothing. */
export function scaleOf(values: readonly FigureValue[], cells: number): Scale {
  const numbers = values.map((value) => Number(value ?? 0));
  const [low, high] = [Math.min(0, ...numbers), Math.max(0, ...numbers)];
  const left = low === high ? 0 : Math.ceil((-low / (high - low)) * cells);
  const room = Math.min(
    left === 0 ? Number.POSITIVE_INFINITY : left / -low,
    high === 0 ? Number.POSITIVE_INFINITY : Math.max(1, cells - left) / high,
  );
  return { perUnit: Number.isFinite(room) ? room : 0, left };
}

/** A bar; below nothing it goes to the left. A number too small for a sign has the thinnest one. */
export function bar(value: FigureValue, { perUnit, left }: Scale, filling: string): string {
  const number = Number(value ?? 0);
  const length = Math.abs(number) * perUnit;
  if (number < 0) {
    const cells = Math.max(1, Math.round(length));
    return `${' '.repeat(left - cells)}${filling.repeat(cells)}`;
  }
  if (number === 0) return '';
  // Only the full block has parts.
  const parts = filling === '█' ? Math.round(length * 8) : Math.round(length) * 8;
  const end = eighths[parts % 8] ?? '';
  const drawn = `${filling.repeat(Math.floor(parts / 8))}${end}`;
  return `${' '.repeat(left)}${drawn === '' ? '▏' : drawn}`;
}

/**
 * Signs from the lowest to the highest number: several a number where there is room, and a mean of
 * neighbours where there are more numbers than cells.
 */
export function sparkline(values: readonly FigureValue[], cells: number): string {
  const means = groups(values, cells).map(meanOf);
  const numbers = values.filter((value) => value !== null).map(Number);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const wide = Math.max(1, Math.floor(cells / means.length));
  return means
    .map((mean) => {
      if (mean === undefined) return ' '.repeat(wide);
      const share = high === low ? 0.5 : (mean - low) / (high - low);
      return (heights[Math.round(share * (heights.length - 1))] ?? '').repeat(wide);
    })
    .join('');
}

/** Neighbours together, as evenly as it goes. */
function groups<Value>(values: readonly Value[], most: number): (readonly Value[])[] {
  const count = Math.min(values.length, most);
  const at = (index: number) => Math.floor((index * values.length) / count);
  return Array.from({ length: count }, (_, index) => values.slice(at(index), at(index + 1)));
}

function meanOf(values: readonly FigureValue[]): number | undefined {
  const numbers = values.filter((value) => value !== null).map(Number);
  if (numbers.length === 0) return undefined;
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
