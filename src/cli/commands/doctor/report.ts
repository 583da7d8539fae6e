import type { ErrorCode } from '../../../core/errors.ts';
import { openStatusLine } from '../../terminal/status-line.ts';
import { paint, wrap } from '../../terminal/text.ts';

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
export async function printChecks(checks: AsyncIterable<Check> | Iterable<Check>, isJson = false) {
  const done: Check[] = [];
  const waiting = openStatusLine();
  for await (const check of checks) {
    done.push(check);
    waiting.clear();
    if (!isJson) console.log(renderCheck(check));
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

/** A check as people read it: one line, and its remedy on lines of its own. */
function renderCheck({ name, verdict, detail, remedy = '' }: Check): string {
  const [word, style] = marks[verdict];
  const { columns } = process.stdout;
  const room = columns && Math.max(30, columns - indent.length - 3);
  const head = `${paint(style, word.padEnd(7))}  ${name.padEnd(nameWidth)}  `;
  const advice = remedy === '' ? [] : wrap(remedy, room);
  return [
    head + wrap(detail, room).join(`\n${indent}`),
    ...advice.map((line, at) => `${indent}${at === 0 ? '-> ' : '   '}${paint('bold', line)}`),
  ].join('\n');
}

function summary(checks: readonly Check[]): string {
  const count = (verdict: Verdict) => checks.filter((check) => check.verdict === verdict).length;
  const [failed, skipped, notes] = [count('failed'), count('not run'), count('warning')];
  const noted = notes === 1 ? '1 thing to note' : `${notes} things to note`;
  if (failed === 0) return paint('green', notes === 0 ? 'All is well.' : `All works; ${noted}.`);
  const unseen = skipped === 0 ? '' : `, ${skipped} could not be run`;
  return paint(
    'red',
    `${failed} of ${checks.length} checks failed${unseen}. Begin with the first.`,
  );
}
