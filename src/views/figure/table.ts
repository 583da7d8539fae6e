/** The table beneath the picture: the same numbers, to be sorted. */
import { drawnSeries, type Figure, type FigureValue } from '../../analysis/figure/figure.ts';
import { type FigureLocale, formatOf, headingOf } from '../../analysis/figure/figure-text.ts';
import { element } from './element.ts';
import { viewWords } from './words.ts';

/** A line of the table; `values` are in the order of the columns. */
interface Line {
  index: number;
  label: string;
  values: readonly FigureValue[];
  node: HTMLTableRowElement;
}

/** A real table whose headings sort it. `onAsk` gets the label that was asked about. */
export function createTable(
  figure: Figure,
  locale: FigureLocale,
  onAsk: ((index: number) => void) | undefined,
): HTMLElement {
  const { axis } = figure;
  const series = drawnSeries(figure);
  const format = formatOf(figure, locale);
  const words = viewWords(locale);
  const lines = axis.labels.map((raw, index): Line => {
    const label = format.label(raw);
    const values = series.map((one) => one.values[index] ?? null);
    const asking = { class: 'ask', title: words.ask(label), onclick: () => onAsk?.(index) };
    const name = onAsk ? element('button', { type: 'button', ...asking }, label) : label;
    const cells = values.map((value) => element('td', {}, format.value(value)));
    return {
      index,
      label,
      values,
      node: element('tr', {}, element('th', { scope: 'row' }, name), ...cells),
    };
  });
  const body = element('tbody', {}, ...lines.map(({ node }) => node));

  const compareTexts = new Intl.Collator(locale, { numeric: true }).compare;
  const columns: { name: string; keyOf(line: Line): string | FigureValue }[] = [
    { name: axis.name, keyOf: ({ index, label }) => (axis.type === 'name' ? label : index) },
    ...series.map(({ name }, at) => ({
      name: format.series(name),
      keyOf: ({ values }: Line) => values[at] ?? null,
    })),
  ];
  const headings = columns.map(({ name, keyOf }) => {
    const heading = element('th', { scope: 'col' });
    const sort = () => {
      const isUp = heading.getAttribute('aria-sort') !== 'ascending';
      for (const other of headings) other.removeAttribute('aria-sort');
      heading.setAttribute('aria-sort', isUp ? 'ascending' : 'descending');
      const sorted = lines.toSorted((a, b) => {
        const [left, right] = [keyOf(a), keyOf(b)];
        // What holds nothing comes last either way.
        if (left === null || right === null) return Number(left === null) - Number(right === null);
        const isText = typeof left === 'string';
        const order = isText ? compareTexts(left, String(right)) : left - Number(right);
        return isUp ? order : -order;
      });
      body.append(...sorted.map(({ node }) => node));
    };
    heading.append(element('button', { type: 'button', onclick: sort }, name));
    return heading;
  });

  const table = element(
    'table',
    {},
    element('caption', { class: 'hidden' }, headingOf(figure, locale)),
    element('thead', {}, element('tr', {}, ...headings)),
    body,
  );
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': words.scroll },
    table,
  );
}
