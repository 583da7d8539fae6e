/** What an answer says of what is usual: by which periods, what was left out, and what the business noted of these days. */
import type { Day, Days } from '../../core/calendar.ts';
import { toDecimal } from '../../core/money.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { countNoun, listFirst } from '../../core/text.ts';
import type { AnswerContext, DayNote, LeftOut } from '../answer.ts';
import type { FactSplit } from './facts.ts';
import type { FilledSpan } from './figure-rows.ts';
import { orderCount } from './measures.ts';
import { fewestEarlier, sayOtherLengths, sayPlace } from './usual.ts';

/** A span with what was found of it. */
export interface UsualSpan extends FilledSpan {
  kept: readonly Days[];
  leftOut: readonly LeftOut[];
}

/** What was asked. */
interface Asked {
  period: Period;
  by: FactSplit;
  /** The measure that sentences are about. */
  main: string | undefined;
  /** Whether it is of each day, beside a comparison or none. */
  isExpected: boolean;
  today: Day;
}

type Said = Pick<AnswerContext, 'usual'> & {
  summary: string[];
  warnings: string[];
  definitions: readonly (readonly [name: string, definition: string])[];
};

/** What is said where spans are held against earlier periods like them; nothing where they are not. */
export function sayUsual(spans: readonly UsualSpan[], asked: Asked): Said {
  const [first, ...others] = spans.filter(({ earlier }) => earlier !== undefined);
  if (!first?.earlier) return { summary: [], warnings: [], definitions: [] };
  const { main = 'the figures', by, isExpected } = asked;
  const isOne = spans.length === 1 && !isExpected;
  const { like } = first.earlier;
  const { kept } = first;
  const all = spans.flatMap((span) => span.leftOut);
  const leftOut = [...new Map(all.map((it) => [sayDays(it), it])).values()];
  const few = spans.filter((span) => span.kept.length < fewestEarlier);
  const where = isOne ? '' : `${countNoun(few.length, 'bucket')} of ${spans.length}: `;
  const counted = isOne ? `${kept.length} of the ${like} before count` : 'fewer than 4 count';
  const range = kept.length === 0 ? '' : `, ${sayDays(spanOf(kept))}`;
  const definition = isOne
    ? `is the median of ${kept.length} ${like}${range}; low and high are the lowest and the highest of these, rank is the place of current among them from below`
    : 'is the median of earlier periods like each bucket, with the lowest, the highest and the rank';
  const expected = `is the median of ${main} over the same weekday of the eight weeks before ${asked.period.from}, low and high the lowest and the highest`;
  return {
    usual: {
      like: others.every(({ earlier }) => earlier?.like === like) ? like : 'periods like each bucket',
      ...(isOne && { periods: kept }),
      ...(leftOut.length > 0 && { left_out: leftOut }),
    },
    definitions: [isExpected ? ['expected', expected] : ['reference', definition]],
    summary: [
      ...(isExpected ? [sayOutside(spans, asked)] : isOne && by === 'total' ? sayMain(first, main) : []),
      ...(leftOut.length > 0 ? [`Left out of what is usual: ${sayLeftOut(leftOut)}.`] : []),
    ],
    warnings: [
      ...(few.length > 0 ? [`Too few to call usual: ${where}${counted}.`] : []),
      ...(isOne ? sayOtherLengths(first.period, kept) : []),
      ...(by === 'total'
        ? []
        : ['Medians of parts do not add up to the median of the whole: add up none of them.']),
    ],
  };
}

/** From the first to the last day of periods, of which the latest is first. */
function spanOf(periods: readonly Days[]): Days {
  return { from: periods.at(-1)?.from ?? '', to: periods[0]?.to ?? '' };
}

function sayLeftOut(leftOut: readonly LeftOut[]): string {
  return listFirst(
    leftOut.map((it) => `${sayDays(it)} (${it.reason})`),
    6,
  );
}

/** The main figure in its place. */
function sayMain({ cells, earlier }: UsualSpan, main: string): string[] {
  const cell = cells.find(({ measure }) => measure === main);
  const current = toDecimal(cell?.current);
  if (!cell?.place || !current || !earlier) return [];
  const write = main === orderCount ? String : undefined;
  return [`${main} ${sayPlace(current, cell.place, earlier.like, write)}.`];
}

/** Which days lie outside what is usual; a day that is not over is not judged. */
function sayOutside(spans: readonly UsualSpan[], { main, by, today }: Asked): string {
  const judged = spans
    .filter(({ period }) => period.to < today)
    .flatMap(({ period, cells }) => {
      const own = cells.filter((cell) => cell.measure === main && cell.place);
      return own.map(({ current, place, subject }) => {
        const value = toDecimal(current);
        const side = !value || !place ? '' : value.lt(place.low) ? 'below' : value.gt(place.high) ? 'above' : '';
        return { side, said: `${[period.from, subject.name ?? ''].join(' ').trim()} ${side}` };
      });
    });
  const outside = judged.filter(({ side }) => side !== '');
  const noun = countNoun(judged.length, by === 'total' ? 'day' : 'row');
  const listed = listFirst(
    outside.map(({ said }) => said),
    12,
  );
  return `${outside.length} of ${noun} outside low to high${outside.length > 0 ? `: ${listed}` : ''}.`;
}

/** The notes of the days that were read, the latest first. */
export function notesOf(notes: readonly DayNote[], periods: readonly Days[]): DayNote[] {
  const isRead = ({ day }: DayNote) => periods.some(({ from, to }) => from <= day && day <= to);
  return notes.filter(isRead).toSorted((a, b) => (a.day < b.day ? 1 : -1));
}
