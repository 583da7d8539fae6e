/** Reports of single days, which tell on which days of a longer period there was no trade. */
import { amsterdamDay, buckets, type Day, type Days } from '../../core/calendar.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Warning } from '../../core/message.ts';
import { periodOf } from '../../core/periods.ts';
import { getFinancialReport } from '../../endpoints/reports.ts';
import type { Answer, Call } from '../answer.ts';
import type { Services } from '../services.ts';
import { askReport } from './ask-endpoint.ts';

/** Each day costs a report: two weeks, such as a week and the one before it. */
const maxDaysRead = 14;

/** The days of longer periods that are over; none where they are more than `max`. */
export function daysWithin(periods: readonly Days[], nowMs: number, max = maxDaysRead): Day[] {
  const longer = periods.filter(({ from, to }) => from !== to);
  const all = longer.flatMap((days) => buckets(days, 'day', max)).map(({ bucket }) => bucket);
  const days = new Set(all);
  const today = amsterdamDay(nowMs);
  return days.size > max ? [] : [...days].filter((day) => day < today);
}

/** The financial reports of days, for the location of `input`. @throws as `askEndpoint` */
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
      return { day, ...(await askReport(getFinancialReport, services, input, call, period)) };
    }),
  );
}

/** The financial report of a day. */
export type DayReport = Awaited<ReturnType<typeof readDayReports>>[number];

/** Warnings about the days whose reports have zeros alone. */
export function daysWithoutTrade(days: readonly DayReport[]): Warning[] {
  return days.flatMap(({ context: { warnings = [] } }) =>
    warnings.filter(({ code }) => code === 'all_zero'),
  );
}

/** The financial report, which warns of days without trade. In statements a report is one request. */
export async function reportWithDays(
  services: Services,
  input: JsonObject,
  call: Call,
): Promise<Answer> {
  const answer = await askReport(getFinancialReport, services, input, call);
  const { period, warnings = [] } = answer.context;
  if (!period || call.statementDeadline) return answer;
  const days = await readDayReports(services, input, call, daysWithin([period], call.nowMs));
  return {
    ...answer,
    calls: days.reduce((sum, { calls }) => sum + calls, answer.calls),
    context: { ...answer.context, warnings: [...warnings, ...daysWithoutTrade(days)] },
  };
}
