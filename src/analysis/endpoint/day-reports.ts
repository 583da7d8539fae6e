/** Reports of single days, to find days without trade in a longer period. */
import { amsterdamDay, buckets, type Day, type Days } from '../../core/calendar.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Warning } from '../../core/message.ts';
import { periodOf } from '../../core/periods.ts';
import { getFinancialReport } from '../../endpoints/reports.ts';
import type { Answer, Call } from '../answer.ts';
import type { Services } from '../services.ts';
import { askRecord } from './ask-endpoint.ts';

/** Each day costs a report, so no more than a week and the week before it are read. */
const maxDaysRead = 14;

/** The past days of periods longer than a day; none where they are more than `max`. */
export function pastDaysOf(periods: readonly Days[], nowMs: number, max = maxDaysRead): Day[] {
  const longer = periods.filter(({ from, to }) => from !== to);
  const all = longer.flatMap((days) => buckets(days, 'day', max)).map(({ bucket }) => bucket);
  const days = new Set(all);
  const today = amsterdamDay(nowMs);
  return days.size > max ? [] : [...days].filter((day) => day < today);
}

/** @throws as `askEndpoint` */
export function readDayReports(
  services: Services,
  { location_id }: JsonObject,
  call: Call,
  days: readonly Day[],
) {
  const input = location_id === undefined ? {} : { location_id };
  return Promise.all(
    days.map(async (day) => {
      const period = periodOf({ from: day, to: day });
      return { day, ...(await askRecord(getFinancialReport, services, input, call, period)) };
    }),
  );
}

export type DayReport = Awaited<ReturnType<typeof readDayReports>>[number];

/** The warnings about days whose reports hold only zeros. */
export function daysWithoutTrade(days: readonly DayReport[]): Warning[] {
  return days.flatMap(({ context: { warnings = [] } }) =>
    warnings.filter(({ code }) => code === 'all_zero'),
  );
}

/** The financial report with warnings of days without trade. A statement gets the report alone, for one request. */
export async function reportWithDays(
  services: Services,
  input: JsonObject,
  call: Call,
): Promise<Answer> {
  const answer = await askRecord(getFinancialReport, services, input, call);
  const { period, warnings = [] } = answer.context;
  if (!period || call.statementDeadline) return answer;
  const days = await readDayReports(services, input, call, pastDaysOf([period], call.nowMs));
  return {
    ...answer,
    calls: days.reduce((sum, { calls }) => sum + calls, answer.calls),
    context: { ...answer.context, warnings: [...warnings, ...daysWithoutTrade(days)] },
  };
}
