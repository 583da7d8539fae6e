/** A second calendar, made of plain UTC arithmetic and of Intl, to hold the first one against. */
import fc from 'fast-check';

const dayMs = 86_400_000;

/** Instants over 20 years, to the millisecond. */
export const instants = fc.integer({
  min: Date.parse('2015-01-01T00:00:00Z'),
  max: Date.parse('2035-01-01T00:00:00Z'),
});

/** Days over 20 years, as `YYYY-MM-DD`. */
export const days = instants.map((ms) => textOf(ms));

/** The UTC day of an instant, as `YYYY-MM-DD`. */
export function textOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** How many days lie between 1970-01-01 and `day`. */
export function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / dayMs;
}

/** The day with that number: see {@link dayNumber}. */
export function numbered(number: number): string {
  return textOf(number * dayMs);
}

const clock = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Amsterdam',
  dateStyle: 'short',
  timeStyle: 'medium',
});

/** Amsterdam's clock at an instant, according to Intl: `2026-11-19T14:02:11`. */
export function intlClock(ms: number): string {
  return clock.format(ms).replace(' ', 'T');
}
