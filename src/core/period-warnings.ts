import { addDays, amsterdamDay, amsterdamIso } from './calendar.ts';
import type { Period } from './periods.ts';

/** What an analyst must know before using figures over a period that is not over: sentences. */
export function periodWarnings({ from, to }: Period, nowMs: number): string[] {
  const today = amsterdamDay(nowMs);
  const time = amsterdamIso(nowMs).slice('2026-11-20T'.length, '2026-11-20T14:05'.length);
  const warnings: string[] = [];
  if (from <= today && today <= to) {
    warnings.push(`Today (${today}) is not over: its figures run up to ${time} Amsterdam time.`);
  }
  if (to > today) {
    const first = from > today ? from : addDays(today, 1);
    const future = first === to ? `${to} lies` : `${first} to ${to} lie`;
    warnings.push(`${future} in the future: asked as given, expect no figures there yet.`);
  }
  return warnings;
}
