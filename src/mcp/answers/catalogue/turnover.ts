/** What is said of turnover: what is asked, what figures are, and what is usual. */

import { fewestEarlier } from '../../../analysis/turnover/earlier-periods.ts';
import type { CountedPeriods } from '../../../analysis/turnover/messages.ts';
import { type Days, lengthOf, weekdayOf } from '../../../core/calendar.ts';
import { groupBy } from '../../../core/json.ts';
import type { Messages } from '../../../core/message.ts';
import { type Decimal, sayAmount, toDecimal, zero } from '../../../core/money.ts';
import { sayDays } from '../../../core/periods.ts';
import { countNoun, listFirst, quote, sayCount, sentences } from '../../../core/text.ts';
import type { Reader, Texts } from './reader.ts';

export const turnoverTexts = {
  // Questions that are refused
  shops_by_shop: ({ by }, { argument }) =>
    `shop_id gives turnover ${argument('by', 'shop')}, not ${argument('by', by)}: leave one of the two out.`,
  explain_splits_total: ({ by }, { argument }) =>
    `explain splits a total itself, so it goes without ${argument('by', by)}.`,
  explain_needs_reference:
    'explain needs a reference: give against, such as "usual" or "week_earlier".',
  two_references: 'against and against_from came together. Give one of the two.',
  too_many_buckets: ({ size, most }) =>
    `the period has more than ${most} buckets of a ${size}, the most that are read at once. Give a shorter period or a larger bucket.`,
  expected_needs_days: ({ most }, { argument }) =>
    `expected goes with days, ${most} at most: give ${argument('bucket', 'day')} and a period such as "last_30_days".`,
  expected_is_usual: (_, { argument }) =>
    `expected tells what is usual already: leave ${argument('against', 'usual')} out.`,
  no_usual_of_period: ({ days, most }, { argument }) =>
    `${argument('against', 'usual')} takes a calendar month or quarter, whole or from its first day on, or at most ${most} days; ${sayDays(days)} has ${lengthOf(days)}. Give such a period, or ${argument('against', 'year_earlier')}.`,
  too_many_calls: ({ calls, periods, each, most }) =>
    `this takes up to ${countNoun(calls, 'platform call')} (${countNoun(periods, 'period')}, ${each} for each), and ${sayCount(most)} is the most (COMMERCE_QUERY_MAX_CALLS). Nothing of it was read. Ask for fewer days, a larger bucket, or one location.`,

  // Measures
  unknown_measure: ({ tool, by, name, nearest }) =>
    sentences(
      `${tool}: no measure${by === 'total' ? '' : ` by ${by}`} is called "${quote(name)}".`,
      nearest && `Did you mean ${nearest}?`,
    ),
  unknown_measures: ({ measures, by, ...unknown }, { say }) =>
    sentences(
      say({ ...unknown, by, code: 'unknown_measure' }),
      `There are ${measures.slice(0, 30).join(', ')}.`,
      by !== 'total' && 'The report splits some measures only: without by there are more.',
    ),
  no_turnover_by: ({ tool, by, measures }, { argument }) =>
    `${tool}: the report has no turnover by ${by}, only ${measures.slice(0, 30).join(', ')}. Give ${argument('by', by)} without measures for that, or leave by out for turnover.`,
  turnover_internal: ({ internal }) =>
    `turnover: internal orders are ${internal === 'left_out' ? 'left out' : 'among these'}`,
  sum_of_blocks: ({ measure }) => `is direct_paid.${measure} plus not_paid_now.${measure}`,
  turnover_per_order: ({ turnover }) => `is ${turnover} divided by order_count, to the cent`,
  counted_orders: 'is the orders of list_orders without is_internal',
  percentage_points: 'is a percentage: its difference is in percentage points',
  rows_of_subjects: ({ rows, total, hasGaps }) => {
    const without = hasGaps ? 'have no figure' : 'are rows of zero';
    const rest =
      rows === total ? `those without turnover ${without}` : 'the report has none of the others';
    return `${rows} of ${total} of this key; ${rest}`;
  },
  latest_notes: ({ shown, count }) => `the latest ${shown} of ${sayCount(count)}`,

  // Periods that are compared
  not_like_for_like: ({ period, others, buckets }) => {
    const where = buckets ? ` in ${buckets.unlike} of ${buckets.of} buckets, such as` : '';
    return `Not like for like${where}: ${period.given} is ${sayUnlike(period, others)}.`;
  },
  like_each: 'earlier periods like each',
  too_few_periods: ({ few, of, earlier }, { say }) => {
    const ofBuckets = `${few} of ${countNoun(of, 'bucket')} have fewer than ${fewestEarlier}`;
    return `Too few earlier periods to call anything usual: ${earlier ? countLike(earlier, say) : ofBuckets}.`;
  },
  medians_of_parts: 'Medians of parts do not add up to the median of the whole.',
  median_of_earlier: ({ days, ...earlier }, { say }) =>
    `is the median of ${countLike(earlier, say)}${days ? `, ${sayDays(days)}` : ''}, ${ends}; ${rank}`,
  median_of_each: ({ like }, { say }) => `is the median of ${say(like)}, ${ends}; ${rank}`,
  median_of_weekdays: ({ measure, before }) =>
    `is the median of ${measure} on that weekday in the eight weeks before ${before}, ${ends}`,
  figure_among_earlier: ({ measure, figure, earlier }, { say }) => {
    const write = (value: number | string) =>
      measure === 'order_count' ? String(value) : amount(value);
    const median = write(figure.median);
    const counted = countLike(earlier, say);
    const range = `${write(figure.low)} to ${write(figure.high)}`;
    const standing =
      figure.count < fewestEarlier
        ? `${counted} are too few to call usual (${range}, median ${median})`
        : `usual ${median} (median of ${counted}, ${range}): ${sayRank(figure)}`;
    return `${measure} ${write(figure.current)}; ${standing}.`;
  },
  days_outside: ({ judged, isByDay, outside }) => {
    const each = outside.map(({ day, name, side }) => `${day}${name ? ` ${name}` : ''} ${side}`);
    const listed = each.length > 0 ? `: ${listFirst(each, 12)}` : '';
    return `${each.length} of ${countNoun(judged, isByDay ? 'day' : 'row')} outside low to high${listed}.`;
  },
  not_counted: ({ excluded }, { say }) => {
    const reasons = groupBy(excluded, ({ reason }) => say(reason));
    const each = [...reasons].map(
      ([reason, periods]) => `${listFirst(periods.map(sayDays), 4)} (${reason})`,
    );
    return `Not counted: ${each.join('; ')}.`;
  },
  before_first_day: ({ firstDay }) => `begins before the first day with orders, ${firstDay}`,
  before_first_trade: 'before the first trade that was read',
  no_trade: 'no trade',
  unusual_day: ({ note }) => `unusual: ${quote(note, 60)}`,

  // Parts of a difference
  not_explained: ({ why }) =>
    why === 'no_turnover'
      ? 'Not explained: the report has no turnover incl. VAT as a whole.'
      : 'Not explained: there is no earlier period with trade to hold it against.',
  explained: ({ difference, against, middle, orders, largest }) => {
    const where = middle
      ? `, in the middle of these periods (${amount(middle.turnover)}, ${signed(middle.from_median)} from the median)`
      : '';
    const parts = [
      orders && sayOrders(orders),
      largest && `${largest.part} alone ${signed(largest.difference)}`,
    ].filter(Boolean);
    const listed = parts.length > 0 ? `: ${parts.join('; ')}` : '';
    return `${signed(difference)} against ${sayDays(against)}${where}${listed}.`;
  },
  no_view_of_orders: ({ why }) =>
    `No view of orders and value per order: ${why === 'no_orders' ? 'the reference has none' : 'counting orders needs the toolset orders'}.`,
  no_view: ({ split }) => {
    const noun = split.replace('_', ' ');
    return `No view by ${noun}: the report has no turnover of a ${noun}.`;
  },
} satisfies Partial<Texts>;

const ends = 'low and high the lowest and the highest';
const rank = 'rank counts from below, 1 is lower than all';

function decimal(value: number | string): Decimal {
  return toDecimal(value) ?? zero;
}

function amount(value: number | string): string {
  return sayAmount(decimal(value));
}

/** With its sign; a zero has none. */
function signed(value: number | string): string {
  return `${decimal(value).gt(0) ? '+' : ''}${amount(value)}`;
}

/** `8 Thursdays`, or `7 of 8 Thursdays` where one does not count. */
function countLike({ counted, of, like }: CountedPeriods, say: Reader['say']): string {
  return `${counted}${counted === of ? '' : ` of ${of}`} ${say(like)}`;
}

/** The standing among all, the current one included: `lowest of 9`, `2nd highest of 9`. */
function sayRank({ rank, count }: { rank: number; count: number }): string {
  const all = count + 1;
  const fromAbove = all + 1 - rank;
  if (rank === fromAbove) return `in the middle of ${all}`;
  const [nth, end] = rank < fromAbove ? [rank, 'lowest'] : [fromAbove, 'highest'];
  const ordinal = ['', '2nd ', '3rd '][nth - 1] ?? `${nth}th `;
  return `${ordinal}${end} of ${all}`;
}

function sayUnlike(days: Days, others: readonly Days[]): string {
  const count = lengthOf(days);
  const [other] = others;
  if (other && lengthOf(other) === count)
    return `${sayWeekdays(days)} against ${sayWeekdays(other)}`;
  const byLength = groupBy(others, (it) => String(lengthOf(it)));
  const each = [...byLength].map(
    ([length, periods]) => `${length} in ${listFirst(periods.map(sayDays), 3)}`,
  );
  return `${count} days against ${each.join('; ')}`;
}

function sayWeekdays({ from, to }: Days): string {
  const first = weekdayOf(from);
  const count = lengthOf({ from, to });
  if (count > 7) return `${count} days from ${first}`;
  return count === 1 ? first : `${first} to ${weekdayOf(to)}`;
}

function sayOrders(orders: NonNullable<Messages['explained']['orders']>): string {
  const { count, before, byNumber, byValue } = orders;
  const number = decimal(byNumber);
  const value = decimal(byValue);
  const compared = decimal(count).cmp(decimal(before));
  const counts = `(${count}${compared === 0 ? '' : ` for ${before}`})`;
  const more = `${['fewer', 'as many', 'more'][compared + 1]} orders ${counts}`;
  const higher = `${['lower', 'the same', 'higher'][value.cmp(zero) + 1]} value per order`;
  const isShared = !number.isZero() && !value.isZero() && number.s === value.s;
  return isShared
    ? `${sayAmount(number.abs())} of it ${more}, ${sayAmount(value.abs())} ${higher}`
    : `${more} ${signed(byNumber)}, ${higher} ${signed(byValue)}`;
}
