import { type Days, weekdayOf } from '../../core/calendar.ts';
import { groupBy } from '../../core/json.ts';
import { isMessageOf, messagesOf, type Warning } from '../../core/message.ts';
import { periodWords, sayDays } from '../../core/periods.ts';
import {
  countNoun,
  listFirst,
  quote,
  quoted,
  quoteFirst,
  sayCount,
  sentences,
  singular,
} from '../../core/text.ts';

interface OneOf {
  tool: string;
  names: readonly [string, string];
  /** How many of the two were given. */
  count: number;
}

interface CustomerChoice {
  name: string;
  count: number;
  /** The first ones. */
  customers: readonly { id: number; name: string; city: string }[];
}

interface MissingOrder {
  number: string;
  days: Days;
  /** How many of `total` orders were searched. */
  looked: number;
  total: number;
}

interface UnbalancedReport {
  /** The check within the report. */
  path: string;
  period?: Days | undefined;
  /** In euros, if the report tells it. */
  difference?: string | undefined;
}

interface FilteredRows {
  filters: readonly string[];
  /** How many rows there are without the filters. */
  count: number;
  noun: string;
}

export const endpointMessages = messagesOf({
  // Arguments
  one_of: ({ tool, names, count }: OneOf) =>
    `${tool} takes exactly one of ${names.join(' and ')}; ${count === 0 ? 'neither' : 'both'} came.`,
  start_of_sorted:
    'start does not go with sort, top or limit: 0, which look at the whole list. Leave start out: all rows are kept in that order, under the result id of the answer.',
  top_without_sort: ({ columns }: { columns: readonly string[] }) =>
    `top gives the largest by a column: give sort too${columns.length > 0 ? `, one of ${quoteFirst(columns, 20)}` : ''}.`,
  not_a_moment: ({ given, now }: { given: string; now: string }) =>
    `since: ${quoted(given)} is not a moment. Give YYYY-MM-DD, an ISO 8601 time such as "${now}" (without an offset it is Amsterdam time), or one of ${periodWords.join(', ')}.`,
  moment_in_future: ({ given, now }: { given: string; now: string }) =>
    `since: ${quoted(given)} lies in the future; it is now ${now} in Amsterdam.`,
  too_many_prices: ({ max }: { max: number }) =>
    `prices are read for at most ${max} products at once. Give limit or top, or join list_product_prices in query.`,

  // A customer by name, an order by its number
  which_customer: ({ name, count, customers }: CustomerChoice) => {
    const listed = customers.map(
      ({ id, name, city }) => `${quote(name)} (${id}${city === '' ? '' : `, ${quote(city)}`})`,
    );
    const more = count > listed.length ? ` and ${sayCount(count - listed.length)} more` : '';
    return sentences(
      count === 0
        ? `customer_id: no customer is called ${quoted(name)}.`
        : `customer_id: ${quoted(name)} may be ${countNoun(count, 'customer')}: ${listed.join(', ')}${more}. Give one of these ids as customer_id.`,
      'search_customers finds them by a part of any contact field.',
    );
  },
  no_such_order: ({ number, days, looked, total }: MissingOrder) => {
    const none =
      total > looked
        ? `none of the newest ${sayCount(looked)} of ${countNoun(total, 'order')}`
        : 'no order';
    return `${none} of ${sayDays(days)} has the number "${quote(number)}". Give the period in which it was placed, or its id as order_id.`;
  },

  // Answers
  balance_differs: ({ period, path, difference }: UnbalancedReport) =>
    sentences(
      `Payments${period ? ` of ${sayDays(period)}` : ''} do not balance with the total (${quote(path)}).`,
      difference && `The difference is ${difference} euros.`,
    ),
  /** `others`: further periods of zeros. */
  all_zero: ({ period, others = [] }: { period: Days; others?: readonly Days[] | undefined }) => {
    const all = [period, ...others];
    const when = all.length === 1 && period.from === period.to ? 'that day' : 'those days';
    return `Every figure of ${sayPeriods(all)} is zero: no orders and no payments on ${when}.`;
  },
  no_rows: ({ filters, count, noun }: FilteredRows) =>
    sentences(
      `Without ${filters.join(', ')} there ${count === 1 ? 'is' : 'are'} ${count === 0 ? `no ${noun} either` : countNoun(count, singular(noun))}.`,
      filters.includes('q') && 'Try a part of the word.',
    ),
});

/** Days by their weekday, the most frequent first: `9 Sundays (2026-09-06 to 2026-11-15) and Tuesday 2026-11-17`. */
function sayPeriods(periods: readonly Days[]): string {
  const sorted = periods.toSorted((a, b) => a.from.localeCompare(b.from));
  if (sorted.some(({ from, to }) => from !== to)) return listFirst(sorted.map(sayDays), 3);
  const kinds = [...groupBy(sorted, ({ from }) => weekdayOf(from))];
  const texts = kinds
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([weekday, days]) => {
      const [first, last] = [days[0].from, days.at(-1)?.to ?? ''];
      if (days.length === 1) return `${weekday} ${first}`;
      return `${days.length} ${weekday}s (${first} to ${last})`;
    });
  return listFirst(texts, 7);
}

/** Joins warnings of reports of zeros into one, which tells their weekdays. */
export function gatherZeros(warnings: readonly Warning[]): Warning[] {
  const zeros = warnings.flatMap((warning) =>
    isMessageOf(endpointMessages, warning) && warning.code === 'all_zero' ? warning : [],
  );
  const [first, ...others] = zeros;
  if (!first || others.length === 0) return zeros;
  return [
    {
      ...endpointMessages.all_zero({
        period: first.period,
        others: others.map(({ period }) => period),
      }),
      ...(first.about !== undefined && { about: first.about }),
    },
  ];
}
