/** Which measures there are, which of them an answer holds, and those that are computed here. */
import { z } from 'zod';
import { isPercentage } from '../../core/column-name.ts';
import { InputError } from '../../core/errors.ts';
import { groupBy } from '../../core/group-by.ts';
import { didYouMean } from '../../core/nearest.ts';
import { quote } from '../../core/text.ts';
import type { Warning } from '../../core/warning.ts';
import { words } from '../../endpoints/parameters.ts';
import type { Fact, FactSplit } from '../reference/facts.ts';

/** What a figure is of; nothing where that is the whole. The id is null for what belongs to none, such as a group. */
export interface Subject {
  id?: number | null;
  name?: string;
}

/** One figure of the financial report or of the orders. */
export interface TurnoverFigure extends Pick<Fact, 'measure' | 'value'> {
  of: Subject;
  /** What its measure is, where that is computed here. */
  definition?: string;
}

/** Which of the platform's measures an answer holds. */
export const measures = z
  .array(words)
  .max(100)
  .optional()
  .describe('Measures or parts of their names, e.g. order_count; default turnover and margin');

/**
 * The measures that mean turnover, and those shown with them: the report's own total and its margin
 * (docs/platform.md#reports); of a split, whose names are not documented, what is called so, else all of it.
 */
const turnoverNames = [
  { turnover: /^revenue\.total_turnover/, shown: /^revenue\.(total_turnover|margin)/ },
  { turnover: /(^|\.)turnover(_wt|_ex)?$/, shown: /(^|\.)turnover(_wt|_ex)?$/ },
];

function meaningOf(names: readonly string[]) {
  return turnoverNames.find(({ turnover }) => names.some((name) => turnover.test(name)));
}

/** What turnover is called in any split, the report's own total in full. */
const anyTurnover = /^(?:revenue\.)?(?:total_)?turnover(_wt|_ex)?$/;

/** By VAT rate, what is shown is turnover and VAT, of what is paid and what is not together where that was added up. */
const shownByRate = /(^|\.)(turnover(_wt|_ex)?|vat)$/;
const addedByRate = /^rates\.(turnover(_wt|_ex)?|vat)$/;

/** `total_sales[_wt]` means one measure without and with VAT. */
const sides = '[_wt]';

function pairSides(names: readonly string[]): string[] {
  const isSecond = (name: string) => name.endsWith('_wt') && names.includes(name.slice(0, -3));
  const paired = (name: string) => (names.includes(`${name}_wt`) ? name + sides : name);
  return names.filter((name) => !isSecond(name)).map(paired);
}

function asPart(name: string): string {
  return name.trim().toLowerCase().replace(sides, '');
}

/**
 * The measures that `wanted` names, wholly or in part; by default those that mean turnover.
 * @returns with the names of the others, and warnings about names that fit none, where others fit
 * @throws InputError when no name fits any, with the nearest and some of those there are
 */
export function chooseMeasures(
  names: readonly string[],
  wanted: readonly string[] | undefined,
  { tool, by }: { tool: string; by: FactSplit },
): { chosen: ReadonlySet<string>; others: string[]; warnings: Warning[] } {
  const { shown: meaning, turnover } = meaningOf(names) ?? {};
  const ofRates = names.some((name) => addedByRate.test(name)) ? addedByRate : shownByRate;
  const usual = meaning && by === 'tax_rate' ? ofRates : meaning;
  const split = by === 'total' ? '' : ` by ${by}`;
  const warnings: Warning[] = [];
  const find = (word: string) => {
    const whole = names.filter((name) => name.toLowerCase() === word.trim().toLowerCase());
    if (whole.length > 0) return whole;
    const all = names.filter((name) => name.toLowerCase().includes(asPart(word)));
    // Turnover has another name in each split, and the name of one is understood in all.
    const [isTurnover, side = ''] = anyTurnover.exec(asPart(word)) ?? [];
    const totals = names.filter((it) => isTurnover && turnover?.test(it) && it.endsWith(side));
    const found = totals.length > 0 ? totals : all;
    const hint = didYouMean(asPart(word), names);
    const text = `${tool}: no measure${split} is called "${quote(word)}".${hint}`;
    if (found.length === 0) warnings.push({ code: 'unknown_measure', text });
    return found;
  };
  if (names.length === 0) return { chosen: new Set(), others: [], warnings };
  const byDefault = names.filter((name) => usual?.test(name) ?? true);
  const chosen = new Set(wanted?.flatMap(find) ?? byDefault);
  if (chosen.size === 0 && warnings[0] !== undefined) {
    const rest = split && ' The report splits some measures only: without by there are more.';
    const listed = pairSides(names).slice(0, 30).join(', ');
    throw new InputError(`${warnings[0].text} There are ${listed}.${rest}`, 'measures');
  }
  return { chosen, others: pairSides(names.filter((name) => !chosen.has(name))), warnings };
}

/** Each VAT rate is reported twice, for what is paid and what is not. */
const paidAndNot = /^(direct_paid|not_paid_now)\./;

/** The figures of both parts added up, by rate; a percentage is not. */
export function addParts(figures: readonly TurnoverFigure[]): TurnoverFigure[] {
  const parts = figures.filter(({ measure }) => paidAndNot.test(measure) && !isPercentage(measure));
  const wholeOf = ({ measure }: TurnoverFigure) => measure.replace(paidAndNot, '');
  const wholes = groupBy(parts, (part) => JSON.stringify([wholeOf(part), part.of.id]));
  return [...wholes.values()].map(([part, ...others]) => {
    const measure = wholeOf(part);
    const value = others.reduce((sum, other) => sum.plus(other.value), part.value);
    const definition = `is direct_paid.${measure} plus not_paid_now.${measure}`;
    return { ...part, measure, value, definition };
  });
}

/** How many orders the list has, and the turnover of one, without VAT and with it. */
export const orderCount = 'order_count';
const averages = ['average_order_value', 'average_order_value_wt'];

/** Whether names, or parts of them, ask for orders to be counted: `_wt` does not, counting costs requests. */
export function asksForOrders(wanted: readonly string[] = []): boolean {
  const parts = wanted.map(asPart).filter((part) => part.length > 3);
  return parts.some((part) => [orderCount, ...averages].some((it) => it.includes(part)));
}

/** The measures that counting orders adds to those of a report. */
export function orderMeasuresOf(names: readonly string[]): string[] {
  return [orderCount, ...dividedBy(names).keys()];
}

/** The turnover of each id divided by its orders, for each side of VAT that the report gives. */
export function averageOrders(figures: readonly TurnoverFigure[]): TurnoverFigure[] {
  const divided = dividedBy(figures.map(({ measure }) => measure));
  const counts = figures.filter((it) => it.measure === orderCount && !it.value.isZero());
  return counts.flatMap(({ of, value: orders }) =>
    [...divided].flatMap(([measure, turnover]) => {
      const found = figures.find((it) => it.of.id === of.id && it.measure === turnover);
      const definition = `is ${turnover} divided by ${orderCount}, to the cent`;
      const value = found?.value.div(orders).toDecimalPlaces(2);
      return value ? [{ measure, value, of, definition }] : [];
    }),
  );
}

/** The measure that means turnover incl. VAT; undefined where none does, or more than one. */
export function turnoverWithVat(names: readonly string[]): string | undefined {
  return dividedBy(names).get('average_order_value_wt');
}

/** What each average divides; where two measures are called turnover, there is none: it would be a guess. */
function dividedBy(names: readonly string[]): Map<string, string> {
  const meaning = meaningOf(names)?.turnover;
  const all = [...new Set(names)].filter((name) => meaning?.test(name));
  const pairs = averages.map((average) => {
    const ofSide = all.filter((name) => name.endsWith('_wt') === average.endsWith('_wt'));
    return ofSide.length === 1 ? ofSide.map((turnover) => [average, turnover] as const) : [];
  });
  return new Map(pairs.flat());
}
