import stringWidth from 'string-width';
import type { Figure } from '../../../analysis/figure/figure.ts';
import type { FigureFormat } from '../../../analysis/figure/text/locale.ts';
import { neutralise } from '../../../core/text.ts';
import { paint } from '../paint.ts';
import { alignTable } from '../table.ts';
import { sparkline } from './blocks.ts';
import { colourOf } from './series-style.ts';

/** A sparkline for each series between its lowest and its highest number; what is missing is a gap. */
export function viewLines({ series, axis }: Figure, format: FigureFormat, width: number): string[] {
  const rows = series.map(({ name, values }) => {
    const sorted = values.filter((value) => value !== null).sort((a, b) => Number(a) - Number(b));
    return {
      name: neutralise(format.series(name)),
      low: format.short(sorted[0] ?? null),
      high: format.short(sorted.at(-1) ?? null),
      values,
    };
  });
  const most = (texts: readonly string[]) => Math.max(...texts.map((text) => stringWidth(text)));
  const taken =
    Math.min(most(rows.map(({ name }) => name)), Math.floor(width / 4)) +
    most(rows.map(({ low }) => low)) +
    most(rows.map(({ high }) => high)) +
    6;
  const room = Math.max(8, width - taken);
  const drawn = rows.map(({ values }) => sparkline(values, room));
  const cells = drawn[0]?.length ?? 0;
  const ends = [axis.labels[0], axis.labels.at(-1)].map((label = '') => format.label(label));
  const [first = '', last = ''] = ends;
  const space = Math.max(1, cells - stringWidth(first) - stringWidth(last));
  const [, ...lines] = alignTable(
    [
      { title: '' },
      { title: '', isFigure: true },
      { title: '', isWhole: true },
      { title: '', isFigure: true },
    ],
    [
      ...rows.map(({ name, low, high }, nth) => [
        name,
        low,
        paint(colourOf(nth), drawn[nth] ?? ''),
        high,
      ]),
      ['', '', paint('dim', `${first}${' '.repeat(space)}${last}`), ''],
    ],
    width,
  );
  return lines;
}
