/** What an answer says of what is usual: by which periods, which of them do not count, and where figures lie. */
import { amsterdamDay, type Day, type Days, lengthOf } from '../../core/calendar.ts';
import { groupBy } from '../../core/group-by.ts';
import { type Decimal, sayAmount } from '../../core/money.ts';
import type { EarlierPeriods } from '../../core/periods.ts';
import { sayDays } from '../../core/periods.ts';
import { countNoun, listFirst } from '../../core/text.ts';
import type { Warning } from '../../core/warning.ts';
import type { AnswerContext } from '../answer.ts';
import type { FactSplit } from '../reference/facts.ts';
import type { FilledSpan } from './cells.ts';
import { orderCount } from './measures.ts';
import type { Question } from './readings.ts';
import type { Standing } from './standing.ts';

/** Fewer earlier periods than this are too few to call usual. */
const fewestEarlier = 4;

/** `4,498.18; usual 5,102.40 (median of 8 Thursdays, 4,100.20 to 5,602.10): 2nd lowest of 9`. */
export function sayStanding(
  current: Decimal,
  standing: Standing,
  earlier: EarlierPeriods,
  write = sayAmount,
): string {
  const { of, low, high, median } = standing;
  const counted = countLike(of, earlier);
  const range = `${write(low)} to ${write(high)}`;
  if (of < fewestEarlier)
    return `${write(current)}; ${counted} are too few to call usual (${range}, median ${write(median)})`;
  return `${write(current)}; usual ${write(median)} (median of ${counted}, ${range}): ${sayRank(standing)}`;
}

/** `8 Thursdays`, or `7 of 8 Thursdays` where one does not count. */
function countLike(count: number, { like, periods }: EarlierPeriods): string {
  return count === periods.length ? `${count} ${like}` : `${count} of ${periods.length} ${like}`;
}

/** The standing among all, the current one included: `lowest of 9`, `2nd highest of 9`. */
function sayRank({ rank, of }: Standing): string {
  const [fromBelow, count] = [rank ?? 1, of + 1];
  const fromAbove = count + 1 - fromBelow;
  if (fromBelow === fromAbove) return `in the middle of ${count}`;
  const [nth, end] = fromBelow < fromAbove ? [fromBelow, 'lowest'] : [fromAbove, 'highest'];
  const ordinal = ['', '2nd ', '3rd '][nth - 1] ?? `${nth}th `;
  return `${ordinal}${end} of ${count}`;
}

/** What is not alike in length, as a warning: a shorter month lacks days. */
export function sayOtherLengths(days: Days, kept: readonly Days[]): Warning[] {
  const length = lengthOf(days);
  const unlike = groupBy(
    kept.filter((it) => lengthOf(it) !== length),
    (it) => String(lengthOf(it)),
  );
  if (unlike.size === 0) return [];
  const each = [...unlike].map(([other, of]) => `${other} in ${listFirst(of.map(sayDays), 3)}`);
  const text = `Not like for like: ${length} days against ${each.join('; ')}.`;
  return [{ code: 'not_like_for_like', text }];
}

interface UsualText extends Pick<AnswerContext, 'usual'> {
  summary: string[];
  warnings: Warning[];
  definitions: (readonly [name: string, definition: string])[];
}

/**
 * What is said where spans are held against earlier periods like them; nothing where they are not.
 * @param main the measure that sentences are about
 */
export function sayUsual(
  spans: readonly FilledSpan[],
  { by, args, call }: Question,
  main: string,
): UsualText {
  const { expected: isExpected } = args;
  const [first, ...others] = spans;
  if (!first?.earlier) return { summary: [], warnings: [], definitions: [] };
  const { kept, earlier, cells } = first;
  const isOne = others.length === 0 && !isExpected;
  const isAlike = others.every((it) => it.earlier?.like === earlier.like);
  const like = isAlike ? earlier.like : 'earlier periods like each';
  const counted = countLike(kept.length, earlier);
  const [oldest, latest] = [kept.at(-1), kept[0]];
  const days = oldest && latest ? `, ${sayDays({ from: oldest.from, to: latest.to })}` : '';
  const range = 'low and high the lowest and the highest';
  const definition = isExpected
    ? `is the median of ${main} on that weekday in the eight weeks before ${first.period.from}, ${range}`
    : `is the median of ${isOne ? counted + days : like}, ${range}; rank counts from below, 1 is lower than all`;

  const { standing, current } = cells.find(({ measure }) => measure === main) ?? {};
  const write = main === orderCount ? String : sayAmount;
  const isJudged = isOne && by === 'total' && standing && current;
  const judged = isJudged
    ? [`${main} ${sayStanding(current, standing, earlier, write)}.`]
    : isExpected
      ? [sayOutside(spans, main, by, amsterdamDay(call.nowMs))]
      : [];
  const all = spans.flatMap(({ excluded }) => excluded);
  const excluded = [...new Map(all.map((it) => [sayDays(it), it])).values()];
  const reasons = [...groupBy(excluded, ({ reason }) => reason)].map(
    ([reason, of]) => `${listFirst(of.map(sayDays), 4)} (${reason})`,
  );

  const few = spans.filter((span) => span.kept.length < fewestEarlier).length;
  const where = isOne
    ? counted
    : `${few} of ${countNoun(spans.length, 'bucket')} have fewer than ${fewestEarlier}`;
  const tooFew = `Too few earlier periods to call anything usual: ${where}.`;
  const ofParts = 'Medians of parts do not add up to the median of the whole.';
  return {
    usual: {
      like,
      ...(isOne && { periods: kept }),
      ...(excluded.length > 0 && { left_out: excluded }),
    },
    definitions: [[isExpected ? 'expected' : 'reference', definition]],
    summary: [...judged, ...(reasons.length > 0 ? [`Not counted: ${reasons.join('; ')}.`] : [])],
    warnings: [
      ...(few > 0 ? [{ code: 'too_few_periods', text: tooFew } as const] : []),
      ...(isOne ? sayOtherLengths(first.period, kept) : []),
      ...(by === 'total' ? [] : [{ code: 'medians_of_parts', text: ofParts } as const]),
    ],
  };
}

/** Which days lie outside what is usual; a day that is not over is not judged. */
function sayOutside(spans: readonly FilledSpan[], main: string, by: FactSplit, today: Day): string {
  const judged = spans.flatMap(({ period, cells }) =>
    cells.flatMap(({ measure, current, standing, subject: { name = '' } }) => {
      if (measure !== main || !current || !standing || period.to >= today) return [];
      const side = current.lt(standing.low) ? 'below' : current.gt(standing.high) ? 'above' : '';
      return [side && `${period.from}${name && ` ${name}`} ${side}`];
    }),
  );
  const outside = judged.filter((it) => it !== '');
  const noun = countNoun(judged.length, by === 'total' ? 'day' : 'row');
  const listed = outside.length > 0 ? `: ${listFirst(outside, 12)}` : '';
  return `${outside.length} of ${noun} outside low to high${listed}.`;
}
