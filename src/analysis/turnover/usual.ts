/** What an answer says of what is usual: by which periods, which of them do not count, and where figures lie. */
import { isDeepStrictEqual } from 'node:util';
import { amsterdamDay, type Day } from '../../core/calendar.ts';
import type { Message } from '../../core/message.ts';
import { plain } from '../../core/money.ts';
import { sayDays } from '../../core/periods.ts';
import type { Warning } from '../../core/warning.ts';
import type { FilledSpan } from './cells.ts';
import type { CountedPeriods } from './messages.ts';
import type { Question } from './question.ts';

/** Fewer earlier periods than this are too few to call usual. */
export const fewestEarlier = 4;

/**
 * What is said where spans are compared with earlier periods like them; nothing where they are not.
 * @param main the measure that sentences are about
 */
export function describeUsual(
  spans: readonly FilledSpan[],
  { by, args, call }: Question,
  main: string,
) {
  const [first, ...others] = spans;
  if (!first?.earlier) return { usual: undefined, definitions: {}, summary: [], warnings: [] };
  const { counted, earlier, period } = first;
  const isOne = others.length === 0 && !args.expected;
  const isAlike = others.every((it) => isDeepStrictEqual(it.earlier?.like, earlier.like));
  const like = isAlike ? earlier.like : ({ code: 'like_each' } as const);
  const periods = { like, counted: counted.length, of: earlier.periods.length };
  const [latest, oldest] = [counted.at(0), counted.at(-1)];
  const days = latest && oldest && { from: oldest.from, to: latest.to };
  const all = spans.flatMap(({ excluded }) => excluded);
  const excluded = [...new Map(all.map((it) => [sayDays(it), it])).values()];
  const few = spans.filter((span) => span.counted.length < fewestEarlier).length;

  const definition: Message = args.expected
    ? { code: 'median_of_weekdays', measure: main, before: period.from }
    : isOne
      ? { code: 'median_of_earlier', ...periods, days }
      : { code: 'median_of_each', like };
  const summary: Message[] = [
    ...(isOne && by === 'total' ? figureAmongEarlier(first, main, periods) : []),
    ...(args.expected ? [daysOutside(spans, main, by === 'total', amsterdamDay(call.nowMs))] : []),
    ...(excluded.length > 0 ? [{ code: 'not_counted', excluded } as const] : []),
  ];
  const tooFew = { few, of: spans.length, earlier: isOne ? periods : undefined };
  const warnings: Warning[] = [
    ...(few > 0 ? [{ code: 'too_few_periods', ...tooFew } as const] : []),
    ...(by === 'total' ? [] : [{ code: 'medians_of_parts' } as const]),
  ];
  return {
    definitions: { [args.expected ? 'expected' : 'reference']: definition },
    usual: {
      like,
      periods: isOne ? counted : undefined,
      left_out: excluded.length > 0 ? excluded : undefined,
    },
    ...{ summary, warnings },
  };
}

function figureAmongEarlier(
  { cells }: FilledSpan,
  main: string,
  periods: CountedPeriods,
): Message[] {
  const { standing, current } = cells.find(({ measure }) => measure === main) ?? {};
  if (!standing || !current) return [];
  const { median, low, high, count, rank } = standing;
  const sides = { median: plain(median), low: plain(low), high: plain(high) };
  const figure = { current: plain(current), ...sides, count, rank: rank ?? 1 };
  return [{ code: 'figure_among_earlier', measure: main, figure, earlier: periods }];
}

/** Which days lie outside what is usual; a day that is not over is not judged. */
function daysOutside(
  spans: readonly FilledSpan[],
  main: string,
  isByDay: boolean,
  today: Day,
): Message {
  const judged = spans.flatMap(({ period, cells }) =>
    cells.flatMap(({ measure, current, standing, subject: { name } }) => {
      if (measure !== main || !current || !standing || period.to >= today) return [];
      const isBelow = current.lt(standing.low);
      const side = isBelow ? ('below' as const) : current.gt(standing.high) && ('above' as const);
      return [side ? { day: period.from, name, side } : undefined] as const;
    }),
  );
  const outside = judged.flatMap((it) => it ?? []);
  return { code: 'days_outside', judged: judged.length, isByDay, outside };
}
