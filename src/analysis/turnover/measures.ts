/** Which measures there are, which of them an answer holds, and what those mean that are computed here. */
import { z } from 'zod';
import { InputError } from '../../core/errors.ts';
import { rounded, zero } from '../../core/money.ts';
import { nearest } from '../../core/nearest.ts';
import { quote } from '../../core/text.ts';
import { listOrders } from '../../endpoints/orders.ts';
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

/** `total_sales[_wt]` stands for one measure without and with VAT. */
const twin = '[_wt]';

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
  { tool, by }: { tool: string; by: FactSplit },
): ChosenMeasures {
  const names = [...new Set(all)];
  const meaning = meaningOf(names)?.shown;
  const usual = meaning && by === 'tax_rate' ? shownByRate : meaning;
  const found = wanted?.flatMap((given) => named(names, given));
  const warnings = (names.length > 0 ? (wanted ?? []) : [])
    .filter((given) => named(names, given).length === 0)
    .map((given) => `${tool}: ${sayMissing(names, given, by)}`);
  if (found?.length === 0 && warnings[0] !== undefined) {
    const rest =
      by === 'total' ? '' : ' The report splits some measures only: without by there are more.';
    throw new InputError(
      `${warnings[0]} There are ${pairTwins(names).slice(0, 30).join(', ')}.${rest}`,
      'measures',
    );
  }
  const chosen = new Set(found ?? names.filter((name) => usual?.test(name) ?? true));
  return {
    isChosen: (measure) => chosen.has(measure),
    others: pairTwins(names.filter((name) => !chosen.has(name))),
    warnings,
  };
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

/** What the computed ones among some measures are; percentages are explained where they are compared. */
export function defineMeasures(names: readonly string[], isCompared: boolean): [string, string][] {
  return names.flatMap((name): [string, string][] => {
    const addends = names.filter((other) => wholeOf(other) === name);
    if (addends.length > 0)
      return [[name, `is ${parts.map((part) => part + name).join(' plus ')}`]];
    if (!isCompared || !isPercentage(name)) return [];
    return [[name, 'is a percentage: its difference is in percentage points']];
  });
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

const orderMeasures = ['order_count', 'average_order_value', 'average_order_value_wt'] as const;

/** Whether a measure comes of counting orders. */
export function isOrderMeasure(measure: string): boolean {
  return orderMeasures.some((name) => name === measure);
}

/** A shorter part of a name, such as `_wt`, does not ask for a count: counting costs requests. */
const minPart = 4;

/** Whether these measures, or parts of their names, ask for orders to be counted. */
export function asksForOrders(wanted: readonly string[] = []): boolean {
  return wanted
    .map((given) => given.trim().toLowerCase().replace(twin, ''))
    .some((part) => part.length >= minPart && orderMeasures.some((name) => name.includes(part)));
}

/** The turnover of a group divided by its number of orders, for each side of VAT that the report gives. */
export function averageOrders(
  count: TurnoverFigure,
  figures: readonly TurnoverFigure[],
): TurnoverFigure[] {
  return averagedMeasures(figures.map(({ measure }) => measure)).flatMap(([average, measure]) => {
    const turnover = figures.find((it) => it.measure === measure);
    if (turnover === undefined || count.value.isZero()) return [];
    return [{ ...count, measure: average, value: rounded(turnover.value.div(count.value), 2) }];
  });
}

/** The measures that counting orders adds to those of a report, each with its definition. */
export function defineOrderMeasures(names: readonly string[]): [string, string][] {
  return [
    ['order_count', `is the orders of ${listOrders.tool}, is_internal left to the platform`],
    ...averagedMeasures(names).map(([average, measure]): [string, string] => [
      average,
      `is ${measure} divided by order_count, to the cent`,
    ]),
  ];
}

/** Each average with the measure it divides; where two measures are called turnover, none: it would be a guess. */
function averagedMeasures(names: readonly string[]): [string, string][] {
  const meaning = meaningOf(names)?.turnover;
  const turnover = [...new Set(names.filter((name) => meaning?.test(name)))];
  return orderMeasures.slice(1).flatMap((average): [string, string][] => {
    const isIncl = average.endsWith('_wt');
    const [measure, ...others] = turnover.filter((name) => name.endsWith('_wt') === isIncl);
    return measure === undefined || others.length > 0 ? [] : [[average, measure]];
  });
}
