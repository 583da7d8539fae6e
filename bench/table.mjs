/** The figures as a person reads them, one a line. */
export function table(figures) {
  const rows = figures.map((figure) => [
    figure.name,
    `${value(figure.ours.median)} ${figure.unit}`,
    `${value(figure.baseline.median)} ${figure.unit}`,
    value(figure.ratio.median),
    figure.ratio.samples > 1 ? `${value(figure.ratio.from)} to ${value(figure.ratio.to)}` : '',
    targetOf(figure.target),
    figure.reached === undefined ? '' : figure.reached ? 'reached' : 'NOT REACHED',
  ]);
  const all = [['figure', 'ours', 'baseline', 'ratio', 'its middle half', 'target', ''], ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column])).join('  '))
    .join('\n');
}

function targetOf({ atMost, atLeast }) {
  if (atMost !== undefined) return `<= ${atMost}`;
  return atLeast === undefined ? '' : `>= ${atLeast}`;
}

function value(number) {
  if (Number.isInteger(number)) return number.toLocaleString('en');
  return number.toFixed(number >= 100 ? 0 : number >= 10 ? 1 : 2);
}
