/** What an answer says of what is usual: by which periods, what was left out, and where figures lie. */
import type { Day } from '../../core/calendar.ts';
import { groupBy } from '../../core/group-by.ts';
import { sayAmount } from '../../core/money.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { countNoun, listFirst } from '../../core/text.ts';
import type { Warning } from '../../core/warning.ts';
import type { AnswerContext } from '../answer.ts';
import type { FactSplit } from './facts.ts';
import type { FilledSpan } from './figure-rows.ts';
import { orderCount } from './measures.ts';
import { countLike, fewestEarlier, sayOtherLengths, sayStanding } from './usual.ts';

/** The arguments that decide what is said. */
interface Question {
  period: Period;
  by: FactSplit;
  /** The measure that sentences are about. */
  main?: string | undefined;
  /** It is of each day, whatever else that is compared with. */
  isExpected: boolean;
  today: Day;
}

interface Said extends Pick<AnswerContext, 'usual'> {
  summary: string[];
  warnings: Warning[];
  definitions: [name: string, definition: string][];
}

/** What is said where spans are held against earlier periods like them; nothing where they are not. */
export function sayUsual(spans: readonly FilledSpan[], question: Question): Said {
  const { main = '', by, isExpected, period } = question;
  const [first, ...others] = spans;
  const said: Said = { summary: [], warnings: [], definitions: [] };
  if (!first?.earlier) return said;
  const { kept, earlier } = first;
  const isOne = others.length === 0 && !isExpected;
  const few = spans.filter((span) => span.kept.length < fewestEarlier);
  const leftOut = spans.flatMap((span) => span.leftOut);
  const distinct = [...new Map(leftOut.map((it) => [sayDays(it), it])).values()];
  const isAlike = others.every((it) => it.earlier?.like === earlier.like);
  const like = isAlike ? earlier.like : 'earlier periods like each';
  said.usual = {
    like,
    ...(isOne && { periods: kept }),
    ...(distinct.length > 0 && { left_out: distinct }),
  };
  const counted = countLike(kept.length, earlier);
  const [oldest, latest] = [kept.at(-1), kept[0]];
  const days = oldest && latest ? `, ${sayDays({ from: oldest.from, to: latest.to })}` : '';
  said.definitions.push(
    isExpected
      ? [
          'expected',
          `is the median of ${main} on that weekday in the eight weeks before ${period.from}, low and high the lowest and the highest`,
        ]
      : [
          'reference',
          `is the median of ${isOne ? counted + days : like}, low and high the lowest and the highest; rank counts from below, 1 is lower than all`,
        ],
  );
  const { standing, current } = first.cells.find(({ measure }) => measure === main) ?? {};
  if (isExpected) said.summary.push(sayOutside(spans, question));
  else if (isOne && by === 'total' && standing && current) {
    const write = main === orderCount ? String : sayAmount;
    said.summary.push(`${main} ${sayStanding(current, standing, earlier, write)}.`);
  }
  const reasons = [...groupBy(distinct, ({ reason }) => reason)];
  const sayReason = ([reason, own]: (typeof reasons)[number]) =>
    `${listFirst(own.map(sayDays), 4)} (${reason})`;
  if (reasons.length > 0) said.summary.push(`Not counted: ${reasons.map(sayReason).join('; ')}.`);
  const where = isOne
    ? counted
    : `${few.length} of ${countNoun(spans.length, 'bucket')} have fewer than ${fewestEarlier}`;
  if (few.length > 0)
    said.warnings.push({
      code: 'too_few_periods',
      text: `Too few earlier periods to call anything usual: ${where}.`,
    });
  if (isOne) said.warnings.push(...sayOtherLengths(first.period, kept));
  if (by !== 'total')
    said.warnings.push({
      code: 'medians_of_parts',
      text: 'Medians of parts do not add up to the median of the whole.',
    });
  return said;
}

/** Which days lie outside what is usual; a day that is not over is not judged. */
function sayOutside(spans: readonly FilledSpan[], { main, by, today }: Question): string {
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
