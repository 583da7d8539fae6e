/** What an answer has to tell, in whatever words and notation. */
import { numbersIn } from './numbers.ts';

/** One fact, and whether a piece of text holds it. */
export interface Fact {
  /** As it would be written, for whoever reads what was missing. */
  written: string;
  isIn(text: string): boolean;
}

/** An amount or a count: to the cent, in any notation, with or without its sign. */
export function figure(value: number): Fact {
  const wanted = Math.abs(value);
  return {
    written: String(value),
    isIn: (text) => numbersIn(text).some((told) => Math.abs(told.value - wanted) < 1e-6),
  };
}

/** A share or an average, which may be rounded: to `decimals` or finer. */
export function rounded(value: number, decimals: number): Fact {
  const wanted = Math.abs(value);
  // 22.30 may be told as 22.3.
  const leastDecimals =
    wanted
      .toFixed(decimals)
      .replace(/\.?0+$/, '')
      .split('.')[1]?.length ?? 0;
  return {
    written: value.toFixed(decimals),
    isIn: (text) =>
      numbersIn(text).some(
        (told) =>
          told.decimals >= leastDecimals &&
          Math.abs(told.value - wanted) <= 0.5 * 10 ** -told.decimals + 1e-9,
      ),
  };
}

/** A name, with its accents and capitals or without. */
export function name(text: string): Fact {
  return { written: text, isIn: (within) => plain(within).includes(plain(text)) };
}

/** A day, by its number or with its month in Dutch or English. */
export function day(iso: string): Fact {
  const [, month = '', date = ''] = /^\d{4}-(\d\d)-(\d\d)$/.exec(iso) ?? [];
  const word = `(?:${months[Number(month) - 1]})[a-z]*\\.?`;
  const [d, m] = [Number(date), Number(month)];
  const told = new RegExp(
    `${iso}|\\b0?${d}(?:st|nd|rd|th)? (?:of )?${word}|${word} 0?${d}(?!\\d)|\\b0?${d}[-/]0?${m}(?!\\d)`,
  );
  return { written: iso, isIn: (text) => told.test(plain(text)) };
}

/** Whichever of several, where each says the same. */
export function oneOf(...facts: readonly Fact[]): Fact {
  return {
    written: facts.map(({ written }) => written).join(' or '),
    isIn: (text) => facts.some((fact) => fact.isIn(text)),
  };
}

const months = [
  'jan',
  'feb',
  'mar|maa|mrt',
  'apr',
  'may|mei',
  'jun',
  'jul',
  'aug',
  'sep',
  'oct|okt',
  'nov',
  'dec',
];

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .replaceAll(/[*_`]/g, '')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase();
}
