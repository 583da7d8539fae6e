/** What is said of days and periods. */
import { startOf } from '../../../core/calendar.ts';
import { periodWords, sayDays } from '../../../core/periods.ts';
import { quoted } from '../../../core/text.ts';
import { sentences, type Texts } from './reader.ts';

export const dayTexts = {
  day_not_over: ({ today, time, isBesideWholeDays }) =>
    `Today (${today}) is not over: its figures run up to ${time} Amsterdam time${isBesideWholeDays ? ', against whole days' : ''}.`,
  in_future: ({ days }) =>
    `In the future: ${sayDays(days)}. Asked as given, expect no figures there yet.`,
  cut_by_period: ({ buckets }) => {
    const each = buckets.map(({ bucket, days, of }) => `${bucket} is ${days} of ${of} days`);
    return `Cut by the period, so not to be compared with whole ones: ${each.join(', ')}.`;
  },
  like_units: ({ unit, upToDay }) => (upToDay ? `${unit}s up to day ${upToDay}` : `${unit}s`),
  like_days: ({ days, weekday }) => {
    if (days === 1) return `${weekday}s`;
    const noun = days === 7 ? 'weeks' : days === 14 ? 'fortnights' : `stretches of ${days} days`;
    return weekday === 'Monday' && days % 7 === 0 ? noun : `${noun} from ${weekday}`;
  },
  period_and_days: () => 'period: came with from or to. Give either period, or from and to.',
  days_missing: ({ argument, firstDay, today }, { argument: write }) =>
    `${argument} is missing. Say which days, for example ${[
      ...(argument === 'period' ? [write('period', 'yesterday')] : []),
      write(firstDay, today),
    ].join(' or ')}.`,
  not_a_period: ({ argument, text, nearest, today }) =>
    sentences(
      `${argument}: ${quoted(text)} is not a period.`,
      nearest && `Did you mean ${nearest}?`,
      `Give one of ${periodWords.join(', ')} (any N: last_14_days, last_8_weeks, last_3_months), a day such as ${today}, or a range such as ${startOf('month', today)}..${today}.`,
    ),
  not_a_day: ({ argument, text, today }, { argument: write }) => {
    const hint = argument === 'date' ? '' : '; a word such as last_week is a period';
    return `${argument}: ${quoted(text)} is no day of the calendar. Give YYYY-MM-DD, today or yesterday, for example ${write(argument, today)}${hint}.`;
  },
  days_reversed: ({ argument, days: { from, to } }) =>
    `${argument}: ${from} comes after ${to}. Give the earlier day first.`,
  days_in_future: ({ argument, days, today }) =>
    `${argument}: ${sayDays(days)} lies in the future; today is ${today} in Amsterdam. Ask for days up to today.`,
} satisfies Partial<Texts>;
