/** The table below the picture, with the same numbers. */
import { drawnSeries, type Figure, type FigureValue } from '../../analysis/figure/figure.ts';
import { type FigureLocale, formatOf, headingOf } from '../../analysis/figure/figure-text.ts';
import { element, pageTexts } from './element.ts';

/** Headings sort the table. `onAsk` gets the index of a clicked label. */
export function createTable(
  figure: Figure,
  locale: FigureLocale,
  onAsk: ((index: number) => void) | undefined,
): HTMLElement {
  const { axis } = figure;
  const series = drawnSeries(figure);
  const format = formatOf(figure, locale);
  const labels = axis.labels.map((label) => format.label(label));
  const rows = labels.map((label, index) => {
    const button = { class: 'ask', title: pageTexts.ask(label), onclick: () => onAsk?.(index) };
    const name = onAsk ? element('button', { type: 'button', ...button }, label) : label;
    const cells = series.map(({ values }) =>
      element('td', {}, format.value(values[index] ?? null)),
    );
    return element('tr', {}, element('th', { scope: 'row' }, name), ...cells);
  });
  const body = element('tbody', {}, ...rows);

  const compareTexts = new Intl.Collator(locale, { numeric: true }).compare;
  const columns: { name: string; keys: readonly (string | FigureValue)[] }[] = [
    { name: axis.name, keys: axis.type === 'name' ? labels : [...labels.keys()] },
    ...series.map(({ name, values }) => ({ name: format.series(name), keys: values })),
  ];
  const headings = columns.map(({ name, keys }) => {
    const heading = element('th', { scope: 'col' });
    const sort = () => {
      const isAscending = heading.getAttribute('aria-sort') !== 'ascending';
      for (const other of headings) other.removeAttribute('aria-sort');
      heading.setAttribute('aria-sort', isAscending ? 'ascending' : 'descending');
      const order = [...rows.keys()].sort((a, b) => {
        const [left, right] = [keys[a] ?? null, keys[b] ?? null];
        if (left === null || right === null) return Number(left === null) - Number(right === null);
        const isText = typeof left === 'string';
        const compared = isText ? compareTexts(left, String(right)) : left - Number(right);
        return isAscending ? compared : -compared;
      });
      body.append(...order.flatMap((index) => rows[index] ?? []));
    };
    heading.append(element('button', { type: 'button', onclick: sort }, name));
    return heading;
  });

  const table = element(
    'table',
    {},
    element('caption', { class: 'hidden' }, headingOf(figure)),
    element('thead', {}, element('tr', {}, ...headings)),
    body,
  );
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': pageTexts.scroll },
    table,
  );
}
