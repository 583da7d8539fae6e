import { z } from 'zod';
import { InputError } from '../../core/errors.ts';
import { zero } from '../../core/money.ts';
import { nearest } from '../../core/nearest.ts';
import { quote } from '../../core/text.ts';
import { words } from '../../endpoints/parameters.ts';
import type { FactSplit, TurnoverFigure } from './facts.ts';

/** Which of the platform's measures an answer holds. */
export const measures = z
  .array(words)
  .max(100)
  .optional()
  .describe('Measures or parts of their names, e.g. order_count; default turnover and margin');

/**
 * The measures that mean turnover, and those shown with them: the report's own total with and without
 * VAT and its margin (docs/platform.md#reports); split, whatever the split calls turnover. The names
 * within a split are not documented: where none is called so, all of it is meant.
 */
const meant = [
  { turnover: /^revenue\.total_turnover/, shown: /^revenue\.(total_turnover|margin)/ },
  { turnover: /(^|\.)turnover(_wt|_ex)?$/, shown: /(^|\.)turnover(_wt|_ex)?$/ },
];

/** By VAT rate, what is asked for is turnover and VAT. */
const shownByRate = /(^|\.)(turnover(_wt|_ex)?|vat)$/;

/** Whether a measure is a percentage, by the one word for it that the platform documents. */
export function isPercentage(measure: string): boolean {
  return /percent/i.test(measure);
}

/** How the percentages among some measures change. */
export function definePoints(names: readonly string[]): Record<string, string> {
  const percentages = names.filter(isPercentage);
  return Object.fromEntries(
    percentages.map((name) => [name, 'is a percentage: its difference is in percentage points']),
  );
}

/** `total_sales[_wt]` stands for one measure without and with VAT. */
export const twin = '[_wt]';

/** Some measures chosen of all there are. */
interface ChosenMeasures {
  isChosen(measure: string): boolean;
  /** Those left out, with {@link twin} where there are two sides of VAT. */
  others: string[];
  /** About names that fit none, beside others that fit. */
  warnings: string[];
}

/**
 * The measures that `wanted` names, wholly or in part; by default those that mean turnover.
 * @throws InputError when no name fits any, with the nearest and some of those there are
 */
export function chooseMeasures(
  all: readonly string[],
  wanted: readonly string[] | undefined,
  asked: { tool: string; by: FactSplit },
): ChosenMeasures {
  const names = [...new Set(all)];
  const meaning = meaningOf(names)?.shown;
  const usual = meaning && asked.by === 'tax_rate' ? shownByRate : meaning;
  const found = wanted?.map((given) => ({ given, own: named(names, given) }));
  const missing = (found ?? []).filter(({ own }) => own.length === 0 && names.length > 0);
  const warnings = missing.map(({ given }) => sayMissing(names, given, asked.by));
  if (found && missing.length === found.length && warnings[0] !== undefined) {
    const rest =
      asked.by === 'total'
        ? ''
        : ' The report splits some measures only: without by there are more.';
    throw new InputError(
      `${asked.tool}: ${warnings[0]} There are ${pairTwins(names).slice(0, 30).join(', ')}.${rest}`,
      'measures',
    );
  }
  const chosen = new Set(
    found?.flatMap(({ own }) => own) ?? names.filter((name) => usual?.test(name) ?? true),
  );
  return {
    isChosen: (measure) => chosen.has(measure),
    others: pairTwins(names.filter((name) => !chosen.has(name))),
    warnings,
  };
}

/** Which of some measures are the turnover itself: incl. and excl. VAT. */
export function turnoverAmong(names: readonly string[]): string[] {
  const turnover = meaningOf(names)?.turnover;
  return names.filter((name) => turnover?.test(name));
}

function meaningOf(names: readonly string[]) {
  return meant.find(({ turnover }) => names.some((name) => turnover.test(name)));
}

function pairTwins(names: readonly string[]): string[] {
  const all = new Set(names);
  return names
    .filter((name) => !(name.endsWith('_wt') && all.has(name.slice(0, -'_wt'.length))))
    .map((name) => (all.has(`${name}_wt`) ? `${name}${twin}` : name));
}

function named(names: readonly string[], given: string): string[] {
  const part = given.trim().toLowerCase();
  if (part.endsWith(twin)) {
    const plain = part.slice(0, -twin.length);
    return [plain, `${plain}_wt`].flatMap((one) => named(names, one));
  }
  const exact = names.filter((name) => name.toLowerCase() === part);
  return exact.length > 0 ? exact : names.filter((name) => name.toLowerCase().includes(part));
}

function sayMissing(names: readonly string[], given: string, by: FactSplit): string {
  const nearestName = nearest(given.trim().toLowerCase().replace(twin, ''), names);
  const hint = nearestName ? ` Did you mean ${nearestName}?` : '';
  return `no measure${by === 'total' ? '' : ` by ${by}`} is called "${quote(given)}".${hint}`;
}

/** Each VAT rate is reported twice, for what is paid and what is not. */
const parts = ['direct_paid.', 'not_paid_now.'];

/** `rates.vat` of `direct_paid.rates.vat`; undefined for other measures, and for percentages. */
function wholeOf(measure: string): string | undefined {
  const part = parts.find((it) => measure.startsWith(it));
  return part === undefined || isPercentage(measure) ? undefined : measure.slice(part.length);
}

/** The figures of both parts added up, by rate. */
export function addParts(figures: readonly TurnoverFigure[]): TurnoverFigure[] {
  const wholes = new Map<string, TurnoverFigure>();
  for (const figure of figures) {
    const measure = wholeOf(figure.measure);
    if (measure === undefined) continue;
    const key = JSON.stringify([measure, figure.id]);
    const value = figure.value.plus(wholes.get(key)?.value ?? zero);
    wholes.set(key, { ...figure, measure, value });
  }
  return [...wholes.values()];
}

/** What the measures of {@link addParts} are. */
export function defineRates(names: readonly string[]): Record<string, string> {
  const wholes = names.filter((name) => names.some((other) => wholeOf(other) === name));
  return Object.fromEntries(
    wholes.map((name) => [name, `is ${parts.map((part) => part + name).join(' plus ')}`]),
  );
}
