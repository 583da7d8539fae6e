import type { ErrorCode } from '../../../core/errors.ts';
import { paint } from '../../terminal/paint.ts';
import { openWaitingLine } from '../../terminal/status-line.ts';
import { wrap } from '../../terminal/wrap.ts';

/** A `warning` is good to know and leaves everything working; `not run` says why. */
export type Verdict = 'ok' | 'warning' | 'failed' | 'not run';

/** What a check found, and what to do about it. */
export interface Finding {
  verdict: Verdict;
  detail: string;
  remedy?: string | undefined;
}

/** A finding under the name of its check. */
export interface Check extends Finding {
  name: string;
  /** Of the error that made it fail. */
  code?: ErrorCode | undefined;
}

/** Prints each check as soon as it is there, and how it went over all; `isJson` prints nothing. */
export async function printChecks(checks: AsyncIterable<Check>, isJson = false) {
  const done: Check[] = [];
  const waiting = openWaitingLine();
  for await (const check of checks) {
    done.push(check);
    waiting.clear();
    if (!isJson) console.log(renderCheck(check, process.stdout.columns));
    waiting.show(`${check.name} is done; the next check runs ...`);
  }
  waiting.clear();
  if (!isJson) console.log(`\n${summary(done)}`);
  return { done, isWell: !done.some(({ verdict }) => verdict === 'failed') };
}

const marks = {
  ok: ['ok', 'green'],
  warning: ['note', 'yellow'],
  failed: ['FAILED', 'red'],
  'not run': ['not run', 'dim'],
} as const;

const nameWidth = 'role and capabilities'.length;
const indent = ' '.repeat(nameWidth + 11);

/** A check as people read it: one line, and its remedy on lines of its own, broken to `width` if given. */
export function renderCheck({ name, verdict, detail, remedy }: Check, width?: number): string {
  const [word, style] = marks[verdict];
  const room = width === undefined ? undefined : Math.max(30, width - indent.length);
  const head = `${paint(style, word.padEnd(7))}  ${name.padEnd(nameWidth)}  `;
  const advice = remedy === undefined ? [] : wrap(remedy, room && room - 3);
  return [
    ...wrap(detail, room).map((line, index) => (index === 0 ? head : indent) + line),
    ...advice.map((line, index) => `${indent}${index === 0 ? '-> ' : '   '}${paint('bold', line)}`),
  ].join('\n');
}

/** How it went over all. */
export function summary(checks: readonly Check[]): string {
  const count = (verdict: Verdict) => checks.filter((check) => check.verdict === verdict).length;
  const [failed, skipped, notes] = [count('failed'), count('not run'), count('warning')];
  const noted = notes === 1 ? '1 thing to note' : `${notes} things to note`;
  if (failed === 0) return paint('green', notes === 0 ? 'All is well.' : `All works; ${noted}.`);
  const unseen = skipped === 0 ? '' : `, ${skipped} could not be run`;
  const text = `${failed} of ${checks.length} checks failed${unseen}. Begin with the first.`;
  return paint('red', text);
}
