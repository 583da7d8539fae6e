import { InputError } from '../../core/errors.ts';
import { createSum, type Decimal, plain, rounded } from '../../core/money.ts';
import { quote } from '../../core/text.ts';
import { createTimestampReader } from '../../core/timestamps.ts';
import { kindOf, orderOf } from './cells.ts';
import { isIdentifier } from './column-profile.ts';
import { cellReader, cellText, hasColumn, isEmptyCell, type Row, requireColumn } from './rows.ts';

/** A figure over some of the rows: `count`, `sum(total_wt)` and the like. */
export interface Metric {
  /** Its name in answers: `sum(total_wt)`, whatever case and spaces it was asked in. */
  name: string;
  /** Whether the figures of groups add up to the figure of them all. */
  isAdditive: boolean;
  /** Over these rows; null where none of them holds a value. */
  over(rows: readonly Row[]): number | string | boolean | null;
  /** What a reader must know of the figure over these rows: sentences. */
  warningsOn(rows: readonly Row[]): string[];
}

const averageDecimals = 4;

const accepted = 'count, sum(column), avg(column), min(column), max(column) and distinct(column)';

/**
 * The metric that a text names, over the columns of these rows. Sums are exact, averages are over
 * the rows that have a value, to four decimals with halves away from zero, `distinct` counts the different values there are.
 * @throws InputError for no metric, an unknown column, and the sum or average of a column without
 * a single number.
 */
export function parseMetric(text: string, rows: readonly Row[]): Metric {
  if (/^\s*count\s*(\(\s*\*?\s*\))?\s*$/i.test(text)) return count;
  const [, name = '', inside = ''] = /^\s*(\w+)\s*\((.+)\)\s*$/.exec(text) ?? [];
  const column = inside.trim();
  switch (name.toLowerCase()) {
    case 'sum':
      return sumMetric(column, rows);
    case 'avg':
      return averageMetric(column, rows);
    case 'min':
      return extremeMetric('min', column, rows);
    case 'max':
      return extremeMetric('max', column, rows);
    case 'distinct':
      return distinctMetric(column, rows);
  }
  const meant = hasColumn(rows, text.trim()) ? ` Did you mean sum(${text.trim()})?` : '';
  throw new InputError(
    `metrics: "${quote(text)}" is no metric.${meant} The metrics are ${accepted}.`,
    'metrics',
  );
}

const count: Metric = {
  name: 'count',
  isAdditive: true,
  over: (rows) => rows.length,
  warningsOn: () => [],
};

function sumMetric(column: string, rows: readonly Row[]): Metric {
  const name = `sum(${column})`;
  const total = totalOf(name, column, rows);
  const misread = isIdentifier(column)
    ? [`${name} adds up identifiers, which means nothing; distinct(${column}) counts them.`]
    : [];
  return {
    name,
    isAdditive: true,
    over: (some) => {
      const { sum, numbers } = total(some);
      return numbers === 0 ? null : plain(sum);
    },
    warningsOn: (some) => [...misread, ...notNumbers(name, total(some).others)],
  };
}

function averageMetric(column: string, rows: readonly Row[]): Metric {
  const name = `avg(${column})`;
  const total = totalOf(name, column, rows);
  return {
    name,
    isAdditive: false,
    over: (some) => {
      const { sum, numbers } = total(some);
      return numbers === 0 ? null : plain(rounded(sum.div(numbers), averageDecimals));
    },
    warningsOn: (some) => {
      const { numbers, others, empty } = total(some);
      const partly = `${name} is over the ${numbers} of ${some.length} rows that have a value.`;
      return [...notNumbers(name, others), ...(empty > 0 && numbers > 0 ? [partly] : [])];
    },
  };
}

function extremeMetric(name: 'min' | 'max', column: string, rows: readonly Row[]): Metric {
  requireColumn(rows, column, 'metrics');
  const read = cellReader(column);
  const reader = createTimestampReader();
  const { keyOf, compare } = orderOf(kindOf(rows.map(read), reader), reader);
  const sign = name === 'min' ? 1 : -1;
  return {
    name: `${name}(${column})`,
    isAdditive: false,
    over: (some) => {
      let best: { key: number | string; cell: unknown } | undefined;
      for (const row of some) {
        const cell = read(row);
        const key = keyOf(cell);
        if (key === undefined) continue;
        if (!best || compare(key, best.key) * sign < 0) best = { key, cell };
      }
      return best ? scalar(best.cell) : null;
    },
    warningsOn: () => [],
  };
}

function scalar(cell: unknown): number | string | boolean {
  return typeof cell === 'number' || typeof cell === 'boolean' ? cell : cellText(cell);
}

function distinctMetric(column: string, rows: readonly Row[]): Metric {
  requireColumn(rows, column, 'metrics');
  const read = cellReader(column);
  return {
    name: `distinct(${column})`,
    isAdditive: false,
    over: (some) => {
      const different = new Set<string>();
      for (const row of some) {
        const cell = read(row);
        if (!isEmptyCell(cell)) different.add(cellText(cell));
      }
      return different.size;
    },
    warningsOn: () => [],
  };
}

/** The sum over rows, with how many held a number, something else, or nothing. */
interface Total {
  sum: Decimal;
  numbers: number;
  others: number;
  empty: number;
}

function totalOf(name: string, column: string, rows: readonly Row[]) {
  requireColumn(rows, column, 'metrics');
  const read = cellReader(column);
  const total = (some: readonly Row[]): Total => {
    const running = createSum();
    let numbers = 0;
    let empty = 0;
    for (const row of some) {
      const cell = read(row);
      if (isEmptyCell(cell)) empty += 1;
      else if (running.add(cell)) numbers += 1;
    }
    return { sum: running.total(), numbers, others: some.length - numbers - empty, empty };
  };
  const { numbers, others } = total(rows);
  if (numbers > 0 || others === 0) return total;
  throw new InputError(
    `metrics: ${name} needs numbers, and ${column} holds none. Count its values with distinct(${column}), or group by it.`,
    'metrics',
  );
}

function notNumbers(name: string, rows: number): string[] {
  return rows === 0 ? [] : [`${name} leaves out values that are not numbers, in rows: ${rows}.`];
}
