import { paint } from '../../terminal/paint.ts';
import { wrap } from '../../terminal/wrap.ts';
import type { Check, Verdict } from './check.ts';

const marks: Record<Verdict, { word: string; style: 'green' | 'yellow' | 'red' | 'dim' }> = {
  ok: { word: 'ok', style: 'green' },
  warning: { word: 'note', style: 'yellow' },
  failed: { word: 'FAILED', style: 'red' },
  'not run': { word: 'not run', style: 'dim' },
};

const markWidth = Math.max(...Object.values(marks).map(({ word }) => word.length));
const nameWidth = 'role and capabilities'.length;
const indent = ' '.repeat(markWidth + nameWidth + 4);

/**
 * A check as people read it: one line, and what to do about it on lines of its own. Lines are broken
 * to `width`, or not at all without one.
 */
export function renderCheck({ name, verdict, detail, remedy }: Check, width?: number): string {
  const { word, style } = marks[verdict];
  const head = `${paint(style, word.padEnd(markWidth))}  ${name.padEnd(nameWidth)}  `;
  const room = width === undefined ? undefined : Math.max(30, width - indent.length);
  const lines = wrap(detail, room);
  const advice = remedy === undefined ? [] : wrap(remedy, room === undefined ? room : room - 3);
  return [
    ...lines.map((line, index) => (index === 0 ? head : indent) + line),
    ...advice.map((line, index) => `${indent}${index === 0 ? '-> ' : '   '}${paint('bold', line)}`),
  ].join('\n');
}

/** The last line: how it went over all. */
export function summary(checks: readonly Check[]): string {
  const count = (verdict: Verdict) => checks.filter((check) => check.verdict === verdict).length;
  const [failed, skipped, notes] = [count('failed'), count('not run'), count('warning')];
  if (failed === 0)
    return paint(
      'green',
      notes === 0
        ? 'All is well.'
        : `All works; ${notes} ${notes === 1 ? 'thing' : 'things'} to note.`,
    );
  const unseen = skipped === 0 ? '' : `, ${skipped} could not be run`;
  return paint(
    'red',
    `${failed} of ${checks.length} checks failed${unseen}. Begin with the first.`,
  );
}
