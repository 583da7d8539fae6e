import stringWidth from 'string-width';
import type { Figure } from '../../../analysis/figure/figure.ts';
import type { FigureFormat } from '../../../analysis/figure/text/locale.ts';
import { neutralise } from '../../../core/text.ts';
import { paint } from '../paint.ts';
import { alignTable } from '../table.ts';
import { bar, scaleOf } from './blocks.ts';
import { colourOf, fillingOf } from './series-style.ts';

/** More bars than this scroll out of sight. */
const maxBars = 60;

/** A line for each bar: the label once, with the bars of its series below each other. */
export function viewBars({ series, axis }: Figure, format: FigureFormat, width: number): string[] {
  const isOne = series.length === 1;
  const shown = axis.labels.slice(0, Math.ceil(maxBars / series.length));
  const rows = shown.flatMap((label, index) =>
    series.map(({ name, values }, nth) => ({
      nth,
      names: [
        nth === 0 ? neutralise(format.label(label)) : '',
        ...(isOne ? [] : [neutralise(format.series(name))]),
      ],
      value: values[index] ?? null,
      written: format.value(values[index] ?? null),
    })),
  );
  const scale = scaleOf(
    rows.map(({ value }) => value),
    roomFor(rows, width),
  );
  const names = rows[0]?.names.map(() => ({ title: '' })) ?? [];
  const [, ...lines] = alignTable(
    [...names, { title: '', isFigure: true }, { title: '', isWhole: true }],
    rows.map((row) => {
      const drawn = bar(row.value, scale, fillingOf(row.nth));
      return [...row.names, row.written, paint(colourOf(row.nth), drawn)];
    }),
    width,
  );
  const rest = axis.labels.length - shown.length;
  return rest === 0 ? lines : [...lines, `… ${rest.toLocaleString('en-US')} more: add --json`];
}

/** Cells for the bars: names that are longer than a fourth of the line give way. */
function roomFor(
  rows: readonly { names: readonly string[]; written: string }[],
  width: number,
): number {
  const most = (texts: readonly string[]) => Math.max(...texts.map((text) => stringWidth(text)));
  const columns =
    rows[0]?.names.map((_, at) => most(rows.map(({ names }) => names[at] ?? ''))) ?? [];
  const named = columns.reduce((sum, it) => sum + Math.min(it, Math.floor(width / 4)) + 2, 0);
  return Math.max(8, width - named - most(rows.map(({ written }) => written)) - 2);
}
