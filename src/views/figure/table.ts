/** The table beneath the picture: the same numbers, to be sorted. */
import type { Figure, FigureValue } from '../../analysis/figure/figure.ts';
import { type FigureLocale, formatOf, headingOf } from '../../analysis/figure/text/words.ts';
import { element } from './element.ts';
import { viewWords } from './words.ts';

/** A line of the table; `values` are in the order of the series. */
interface Line {
  index: number;
  label: string;
  values: readonly FigureValue[];
  node: HTMLTableRowElement;
}

/** A real table whose headings sort it. `onAsk` is told the label that was asked about. */
export function createTable(
  figure: Figure,
  locale: FigureLocale,
  onAsk: ((index: number) => void) | undefined,
): HTMLElement {
  const { axis, series } = figure;
  const format = formatOf(figure, locale);
  const words = viewWords(locale);
  const lines = axis.labels.map((given, index): Line => {
    const label = format.label(given);
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

  const compareLabels = new Intl.Collator(locale, { numeric: true }).compare;
  const columns = [
    {
      name: axis.name,
      compare: (a: Line, b: Line) =>
        axis.type === 'name' ? compareLabels(a.label, b.label) : a.index - b.index,
      isEmpty: (_: Line) => false,
    },
    ...series.map(({ name }, at) => ({
      name: format.series(name),
      compare: (a: Line, b: Line) => Number(a.values[at]) - Number(b.values[at]),
      isEmpty: ({ values }: Line) => (values[at] ?? null) === null,
    })),
  ];
  const headings = columns.map(({ name, compare, isEmpty }) => {
    const heading = element('th', { scope: 'col' });
    const sort = () => {
      const isUp = heading.getAttribute('aria-sort') !== 'ascending';
      for (const other of headings) other.removeAttribute('aria-sort');
      heading.setAttribute('aria-sort', isUp ? 'ascending' : 'descending');
      const sorted = lines.toSorted(
        (a, b) =>
          // What holds nothing comes last either way.
          Number(isEmpty(a)) - Number(isEmpty(b)) ||
          (isEmpty(a) ? 0 : (isUp ? 1 : -1) * compare(a, b)) ||
          a.index - b.index,
      );
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
