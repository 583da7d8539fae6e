import stringWidth from 'string-width';

/** A column of a printed table: its title and a cell for each line. */
export interface Column {
  title: string;
  cells: readonly string[];
  /** Figures are aligned to the right, so that their digits line up. */
  isFigure?: boolean;
  /** Never shortened: half a figure, time or id is worse than none. */
  isWhole?: boolean;
}

/**
 * Lines of a table with aligned columns, at most `width` cells wide: what does not fit is taken from
 * the widest text columns and marked with `…`.
 */
export function alignTable(columns: readonly Column[], width: number): string[] {
  const gap = 2;
  const widths = columns.map(naturalWidth);
  const total = () => widths.reduce((sum, it) => sum + it, gap * (widths.length - 1));
  while (total() > width) {
    const texts = columns.flatMap(({ isFigure, isWhole }, index) =>
      isFigure || isWhole ? [] : [index],
    );
    const widest = texts.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    const current = widest === undefined ? 0 : (widths[widest] ?? 0);
    if (widest === undefined || current <= 6) break;
    widths[widest] = current - 1;
  }
  const placed = columns.map(({ title, cells, isFigure }, index) =>
    [title, ...cells].map((cell) => {
      const shown = shorten(cell, widths[index] ?? 0);
      const padding = ' '.repeat((widths[index] ?? 0) - stringWidth(shown));
      return isFigure ? padding + shown : shown + padding;
    }),
  );
  const lines = placed[0] ?? [];
  return lines.map((_, at) =>
    placed
      .map((cells) => cells[at])
      .join(' '.repeat(gap))
      .trimEnd(),
  );
}

/** The same of rows of texts, as wide as the terminal. */
export function alignRows(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  width = process.stdout.columns || 160,
): string[] {
  const columns = titles.map((title, at) => ({ title, cells: rows.map((row) => row[at] ?? '') }));
  return alignTable(columns, width);
}

/** The cells that a column takes as it is. */
export function naturalWidth({ title, cells }: Column): number {
  return Math.max(...[title, ...cells].map((cell) => stringWidth(cell)));
}

/** The end goes, but of a dotted path, whose end tells it from its neighbours, the beginning. */
function shorten(text: string, width: number): string {
  const isPath = /^\w+(\.\w+)+$/.test(text);
  // Far more than can be shown: the rest of a hostile name is not measured.
  const characters = [...(isPath ? text.slice(-2 * width) : text.slice(0, 20 * width))];
  let shown = text;
  while (stringWidth(shown) > width) {
    if (isPath) characters.shift();
    else characters.pop();
    const kept = characters.join('');
    shown = isPath ? `…${kept}` : `${kept}…`;
  }
  return shown;
}
