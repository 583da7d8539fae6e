import { cpus, loadavg } from 'node:os';

/** The figures as a person reads them, one a line. */
export function table(figures) {
  const rows = figures.map((figure) => [
    figure.name,
    `${value(figure.ours.median)} ${figure.unit}`,
    `${value(figure.baseline.median)} ${figure.unit}`,
    value(figure.ratio.median),
    figure.ratio.samples > 1 ? `${value(figure.ratio.from)} to ${value(figure.ratio.to)}` : '',
    targetOf(figure.target),
    reachedOf(figure),
  ]);
  const all = [['figure', 'ours', 'baseline', 'ratio', 'its middle half', 'target', ''], ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column])).join('  '))
    .join('\n');
}

/** A file in Markdown: the ratio of each figure of an earlier build beside that of this one. */
export function reachedTable(figures, before) {
  const day = new Date().toISOString().slice(0, 10);
  const rows = figures.map((figure) => {
    const earlier = before.find(({ name }) => name === figure.name);
    const ratios = [earlier, figure].map((one) => (one ? value(one.ratio.median) : ''));
    return [figure.name, ...ratios, targetOf(figure.target), reachedOf(figure)];
  });
  return [
    '# What calls cost, last release and today',
    '',
    `\`BENCH_RELEASE=DIST/cli.js npm run bench -- calls per-call\` wrote this on ${day}, with a load of ${loadavg()[0].toFixed(1)} on`,
    `${cpus().length} cores: ratios to the baseline (round trips as they are), both builds in one run.`,
    '',
    '| figure | last release | today | target | |',
    '|---|---|---|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '',
  ].join('\n');
}

function reachedOf({ reached, stages }) {
  if (reached === undefined) return '';
  return reached ? 'reached' : `NOT REACHED${stages ? `: ${stages}` : ''}`;
}

function targetOf({ atMost, atLeast }) {
  if (atMost !== undefined) return `<= ${atMost}`;
  return atLeast === undefined ? '' : `>= ${atLeast}`;
}

function value(number) {
  if (Number.isInteger(number)) return number.toLocaleString('en');
  return number.toFixed(number >= 100 ? 0 : number >= 10 ? 1 : 2);
}
