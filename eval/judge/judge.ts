/** Whether an answer tells what is true. */
import { type Fact, figure, name } from './facts.ts';

/** What belongs together, such as a shop and its turnover; the first is what it is found by. */
export type Row = readonly (string | number | Fact)[];

/** The rows that were not told; right where there is none. */
export interface Verdict {
  right: boolean;
  /** Such as `Webshop, 1046.78`. */
  missing: readonly string[];
}

/**
 * Holds an answer against the truth. A row is told where its first fact stands on a line, and the rest on
 * the same line or below it, before the next row begins. The whole answer counts for a single row.
 */
export function judge(answer: string, truth: readonly Row[]): Verdict {
  const rows = truth.map((row) => row.map(factOf));
  const missing = rows.filter((row) => !isTold(row, answer, rows));
  return {
    right: missing.length === 0,
    missing: missing.map((row) => row.map(({ written }) => written).join(', ')),
  };
}

function isTold(row: readonly Fact[], answer: string, rows: readonly (readonly Fact[])[]): boolean {
  if (rows.length === 1) return row.every((fact) => fact.isIn(answer));
  const lines = answer.split('\n');
  const others = rows.filter((other) => other !== row).flatMap(([first]) => first ?? []);
  return lines.some((line, index) => {
    if (!row[0]?.isIn(line)) return false;
    const next = lines.findIndex(
      (later, at) => at > index && others.some((other) => other.isIn(later)),
    );
    const own = lines.slice(index, next < 0 ? undefined : next).join('\n');
    return row.every((fact) => fact.isIn(own));
  });
}

function factOf(value: string | number | Fact): Fact {
  if (typeof value === 'string') return name(value);
  return typeof value === 'number' ? figure(value) : value;
}
