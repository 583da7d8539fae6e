/** Dutch public holidays, and Sinterklaas eve, which matters to shops. */
import { gregorianEaster } from 'date-easter';
import { addDays, type Day, type Days, weekdayOf } from './calendar.ts';

export interface Holiday {
  day: Day;
  name: string;
}

const fixedDays = [
  ['01-01', "New Year's Day"],
  ['05-05', 'Liberation Day'],
  ['12-05', 'Sinterklaas eve'],
  ['12-25', 'Christmas Day'],
  ['12-26', 'Second Christmas Day'],
] as const;

const daysAfterEaster = [
  [0, 'Easter Sunday'],
  [1, 'Easter Monday'],
  [39, 'Ascension Day'],
  [49, 'Whit Sunday'],
  [50, 'Whit Monday'],
] as const;

const firstKingsDay = 2014;

/** Sorted by day. A day may have two: 5 May 2016. */
export function holidaysIn({ from, to }: Days): Holiday[] {
  const [first, last] = [from, to].map((day) => Number(day.split('-')[0]));
  if (first === undefined || last === undefined) return [];
  const years = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return years
    .flatMap(holidaysOfYear)
    .filter(({ day }) => from <= day && day <= to)
    .sort((a, b) => a.day.localeCompare(b.day));
}

function holidaysOfYear(year: number): Holiday[] {
  const start = String(year).padStart(4, '0');
  const { month, day } = gregorianEaster(year);
  const easter = [start, ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-');
  const birthday = `${start}-04-27`;
  const kingsDay = weekdayOf(birthday) === 'Sunday' ? addDays(birthday, -1) : birthday;
  return [
    ...fixedDays.map(([date, name]) => ({ day: `${start}-${date}`, name })),
    ...daysAfterEaster.map(([days, name]) => ({ day: addDays(easter, days), name })),
    ...(year >= firstKingsDay ? [{ day: kingsDay, name: "King's Day" }] : []),
  ];
}
