import stringWidth from 'string-width';

/** A column of a printed table. */
export interface Column {
  title: string;
  /** Figures stand right, so that their digits line up. */
  isFigure?: boolean;
  /** Never shortened: half a figure, time or id is worse than none. */
  isWhole?: boolean;
}

/**
 * Lines of a table with aligned columns, at most `width` cells wide: what does not fit is taken from
 * the widest text columns and marked with `…`.
 */
export function alignTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width = 80,
): string[] {
  const gap = 2;
  const widths = columns.map(({ title }, index) =>
    Math.max(stringWidth(title), ...rows.map((row) => stringWidth(row[index] ?? ''))),
  );
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
  const line = (cells: readonly string[]) => {
    const placed = columns.map(({ isFigure }, index) => {
      const shown = shorten(cells[index] ?? '', widths[index] ?? 0);
      const padding = ' '.repeat((widths[index] ?? 0) - stringWidth(shown));
      return isFigure ? padding + shown : shown + padding;
    });
    return placed.join(' '.repeat(gap)).trimEnd();
  };
  return [line(columns.map(({ title }) => title)), ...rows.map(line)];
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
