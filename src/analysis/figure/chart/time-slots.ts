/** Places along a time axis: a day without rows keeps its place, empty. */
import type { AxisType } from '../figure.ts';

/** More places than this are not spread out. */
const maxSlots = 800;

/**
 * The labels with the missing ones between them, at the labels' own step: every day, every Monday,
 * the first of every month. Labels that are not in time order, or far too spread, stay as they are.
 */
export function timeSlots(type: AxisType, labels: readonly string[]): readonly string[] {
  const scale = scaleOf(type, labels);
  if (!scale || labels.length < 2) return labels;
  const places = labels.map(scale.place);
  const steps = places.slice(1).map((place, index) => place - (places[index] ?? place));
  if (!steps.every((step) => step > 0)) return labels;
  const step = steps.reduce(greatestCommonDivisor);
  const [first = 0, last = first] = [places[0], places.at(-1)];
  const count = (last - first) / step + 1;
  if (count > maxSlots) return labels;
  const given = new Map(places.map((place, index) => [place, labels[index]]));
  return Array.from({ length: count }, (_, index) => {
    const place = first + index * step;
    return given.get(place) ?? scale.label(place);
  });
}

/** A numbering of days, weeks or months without holes. */
interface Scale {
  place(label: string): number;
  label(place: number): string;
}

const dayMs = 86_400_000;

const days: Scale = {
  place: (day) => Math.round(Date.parse(day) / dayMs),
  label: (place) => new Date(place * dayMs).toISOString().slice(0, 10),
};

const months: Scale = {
  place: (month) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1,
  label: (place) => `${Math.floor(place / 12)}-${String((place % 12) + 1).padStart(2, '0')}`,
};

/** Monday, 29 December 1969, began the first ISO week of 1970. */
const firstMonday = -3;

const weeks: Scale = {
  place: (week) => (mondayOf(Number(week.slice(0, 4)), Number(week.slice(6))) - firstMonday) / 7,
  label: (place) => weekOf(place * 7 + firstMonday),
};

function scaleOf(type: AxisType, labels: readonly string[]): Scale | undefined {
  if (type === 'week') return weeks;
  if (type === 'month') return months;
  if (type !== 'day') return undefined;
  const [first = ''] = labels;
  const dayOfMonth = first.slice('2026-11'.length);
  const isMonthly = labels.every((label) => label.endsWith(dayOfMonth)) && dayOfMonth <= '-28';
  if (!isMonthly) return days;
  return { place: months.place, label: (place) => `${months.label(place)}${dayOfMonth}` };
}

/** The Monday of an ISO week; the fourth of January is always in the first. */
function mondayOf(year: number, week: number): number {
  const fourth = Math.round(Date.UTC(year, 0, 4) / dayMs);
  return fourth - weekdayOf(fourth) + (week - 1) * 7;
}

function weekOf(monday: number): string {
  const year = new Date((monday + 3) * dayMs).getUTCFullYear();
  const week = (monday - mondayOf(year, 1)) / 7 + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}

/** Days since Monday; day 0 was a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
