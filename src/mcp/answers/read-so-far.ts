import type { Answer } from '../../analysis/answer.ts';
import { numberIn } from '../../core/json.ts';
import { countNoun, neutralJson } from '../../core/text.ts';
import type { PresentedContext, ReadSoFar } from './context.ts';

/**
 * How many rows were read, of how many there are: shown or kept. A feed that goes on does not tell
 * how many there are.
 */
export function readSoFar({ payload, rows = [], rest, sliceOf }: Answer): ReadSoFar {
  if (sliceOf !== undefined)
    return { rows: sliceOf.length, ...(sliceOf.isWhole && { of: sliceOf.length }) };
  const start = numberIn(payload.start ?? 0) || 0;
  if (rest === undefined) return { rows: rows.length, of: rows.length + start };
  const total = numberIn(payload.total);
  return { rows: rows.length, ...(total > rows.length && { of: total }) };
}

/**
 * What of the rows is not here, in one sentence. Rows that were read and are not shown are one thing
 * (every total over the kept rows is whole), rows that were not read another.
 */
export function restLine(
  { complete, next, read, result }: PresentedContext,
  shown: number,
): string {
  if (complete !== false) return '';
  const { rows = shown, of } = read ?? {};
  const call = next === undefined ? '' : ` Next: ${sayCall(next)}`;
  if (of !== undefined && rows >= of) {
    const kept = result === undefined ? '' : `, kept as ${result.id}`;
    return `Read whole${kept}; ${count(shown)} of ${countNoun(rows, 'row')} shown.${call}`;
  }
  const all = of === undefined ? 'more exist' : `${count(of)} exist`;
  const were = rows === 1 ? 'was' : 'were';
  return `Not read whole: ${countNoun(rows, 'row')} ${were} read, ${all}; totals over them are not totals.${call}`;
}

function sayCall({ tool, arguments: given }: NonNullable<PresentedContext['next']>): string {
  return `${tool} ${neutralJson(given)}`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
