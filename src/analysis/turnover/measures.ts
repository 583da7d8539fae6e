/** Measures of turnover: those of a report, those computed here, and the choice that an answer holds. */
import { z } from 'zod';
import { isOfParts, isPercentage } from '../../core/column-name.ts';
import { InputError } from '../../core/errors.ts';
import { groupBy } from '../../core/json.ts';
import type { Warning } from '../../core/message.ts';
import { type Decimal, zero } from '../../core/money.ts';
import { nearest } from '../../core/nearest.ts';
import { words } from '../../endpoints/parameters.ts';
import type { Fact } from '../answer.ts';
import type { FactSplit } from '../reference/facts.ts';
import { turnoverMessages } from './messages.ts';

/** The shop, group or rate of a figure; empty for the whole. The id is null for amounts outside every group. */
export interface Subject {
  id?: number | null;
  name?: string;
}

/** One figure of the financial report or of the orders. */
export interface TurnoverFigure extends Pick<Fact, 'measure' | 'value'> {
  subject: Subject;
  /** Says how its measure is computed; absent for the report's own measures. */
  definition?: string;
  /** A total that adds up the rows; others are the report's own. */
  isSum?: true;
}

/** The subject of a total beside the parts of a split. */
export const whole: Subject = { name: 'total' };

/** The argument that chooses measures. */
export const measures = z
  .array(words)
  .max(100)
  .optional()
  .describe(
    'turnover_wt in any split, order_count; a part of a name: all with it; default turnover and margin',
  );

/** The report's own total (docs/platform.md#reports), and the usual name in a split, whose names are not documented. */
const totalTurnover = /^revenue\.total_turnover/;
const calledTurnover = /(^|\.)turnover(_wt|_ex)?$/;

function turnoverNames(names: readonly string[]): readonly string[] {
  const called = [totalTurnover, calledTurnover].map((form) =>
    names.filter((name) => form.test(name)),
  );
  const [first] = called.filter((some) => some.length > 0);
  if (first) return first;
  // A single pair with and without VAT is turnover whatever its name, and in this section a single figure as well.
  const pairs = names.filter((name) => names.includes(`${name}_wt`));
  if (pairs.length === 1) return pairs.flatMap((name) => [name, `${name}_wt`]);
  const ofSection = [...new Set(names.filter((name) => name.startsWith('turnover_by_group.')))];
  const sides = new Set(ofSection.map((name) => name.endsWith('_wt')));
  return sides.size === ofSection.length ? ofSection : [];
}

/** A name of turnover in any split, in full (`turnover_by_group.shop_totals.turnover_wt`) or not. */
const anyTurnover = /^(.+\.)?(?:total_)?turnover(_wt|_ex)?$/;

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
 * The measures that the arguments name, wholly or in part, by default those that mean turnover; the names of the
 * others, and warnings about names that no measure has.
 * @throws {InputError} when no name fits any, with the nearest and those there are
 */
export function chooseMeasures(
  names: readonly string[],
  { tool, by, args }: { tool: string; by: FactSplit; args: { measures?: string[] | undefined } },
): { chosen: ReadonlySet<string>; others: readonly string[]; warnings: Warning[] } {
  if (names.length === 0) return { chosen: new Set(), others: [], warnings: [] };
  const requested = args.measures?.map((name) => ({ name, names: findMeasures(name, names) }));
  const chosen = new Set(requested?.flatMap((each) => each.names) ?? measuresByDefault(names, by));
  const unknown = (requested ?? [])
    .filter((each) => each.names.length === 0)
    .map(({ name }) => ({ tool, by, name, nearest: nearest(asPart(name), names) }));
  if (chosen.size === 0 && unknown[0]) {
    const measures = pairSides(names);
    throw new InputError(
      turnoverMessages.unknown_measures({ ...unknown[0], measures }),
      'measures',
    );
  }
  const others = pairSides(names.filter((name) => !chosen.has(name)));
  return { chosen, others, warnings: unknown.map(turnoverMessages.unknown_measure) };
}

function measuresByDefault(all: readonly string[], by: FactSplit): readonly string[] {
  const names = removeParts(all);
  const turnover = turnoverNames(names);
  const isBeside = (name: string) =>
    by === 'tax_rate' ? !isPercentage(name) : name.startsWith('revenue.margin');
  const isShown = (name: string) => turnover.includes(name) || isBeside(name);
  return turnover.length > 0 ? names.filter(isShown) : names;
}

/** An exact name gives one measure, turnover that of the split, and a part of a name all measures with it. */
function findMeasures(text: string, all: readonly string[]): readonly string[] {
  const whole = all.filter((name) => name.toLowerCase() === text.trim().toLowerCase());
  if (whole.length > 0) return whole;
  const part = asPart(text);
  const holding = (names: readonly string[]) =>
    names.filter((name) => name.toLowerCase().includes(part));
  const names = removeParts(all);
  const [isTurnover, path, side] = anyTurnover.exec(part) ?? [];
  if (!isTurnover) return firstFilled(holding(names), holding(all));
  // A path without a side is an exact name elsewhere: turnover without VAT.
  const isOfSide = (name: string) => (side ? name.endsWith(side) : !path || !name.endsWith('_wt'));
  const isBoth = text.includes(sides);
  const turnover = turnoverNames(names).filter((name) => isBoth || isOfSide(name));
  return path ? firstFilled(holding(names), turnover) : firstFilled(turnover, holding(names));
}

function firstFilled<Item>(list: readonly Item[], other: readonly Item[]): readonly Item[] {
  return list.length > 0 ? list : other;
}

/** Each VAT rate is reported twice, for what is paid and what is not. */
const paidAndNot = /^(direct_paid|not_paid_now)\./;

function removeParts(names: readonly string[]): string[] {
  const isPart = (name: string) =>
    paidAndNot.test(name) && names.includes(name.replace(paidAndNot, ''));
  return names.filter((name) => !isPart(name));
}

/** Adds up the paid and the unpaid figures of each rate; percentages are left out. */
export function addParts(figures: readonly TurnoverFigure[]): TurnoverFigure[] {
  const parts = figures.filter(({ measure }) => paidAndNot.test(measure) && !isPercentage(measure));
  const wholeOf = ({ measure }: TurnoverFigure) => measure.replace(paidAndNot, '');
  const wholes = groupBy(parts, (part) => JSON.stringify([wholeOf(part), part.subject.id]));
  return [...wholes.values()].map(([part, ...others]) => {
    const measure = wholeOf(part);
    const value = addFigures([part, ...others]);
    const definition = `is direct_paid.${measure} plus not_paid_now.${measure}`;
    return { ...part, measure, value, definition };
  });
}

/** VAT by its usual name. */
const vatName = /(^|\.)vat$/;

/** The VAT of a whole report, added up over its rates and both parts. Empty where no measure of rates is clearly VAT. */
export function addVat(ofRates: readonly TurnoverFigure[], subject: Subject): TurnoverFigure[] {
  const measures = groupBy(addParts(ofRates), ({ measure }) => measure);
  const isVat = (name: string, figures: readonly TurnoverFigure[]) =>
    vatName.test(name) || isBetweenSides(name, figures, measures);
  const [vat, ...others] = [...measures].filter(([name, figures]) => isVat(name, figures));
  if (vat === undefined || others.length > 0) return [];
  const [name, parts] = vat;
  const definition = `is ${name} of all rates, direct_paid plus not_paid_now`;
  return [{ measure: 'vat', value: addFigures(parts), subject, definition, isSum: true }];
}

/** Whether at each rate a measure is the difference of another with and without VAT, apart from rounding. */
function isBetweenSides(
  name: string,
  figures: readonly TurnoverFigure[],
  measures: ReadonlyMap<string, readonly TurnoverFigure[]>,
): boolean {
  return [...measures].some(([other, without]) => {
    const withVat = measures.get(`${other}_wt`);
    if (withVat === undefined || name === other || name === `${other}_wt`) return false;
    return figures.every(({ subject, value }) => {
      const [less, more] = [without, withVat].map(
        (some) => some.find(({ subject: { id } }) => id === subject.id)?.value,
      );
      const vat = more?.minus(less ?? zero) ?? zero;
      return value.minus(vat).abs().lte(vat.abs().div(100).plus('0.05'));
    });
  });
}

export function addFigures(figures: readonly TurnoverFigure[]): Decimal {
  return addUp(figures.map(({ value }) => value));
}

/** The sum of amounts; zero for an empty list. */
export function addUp(values: readonly Decimal[]): Decimal {
  return values.reduce((sum, value) => sum.plus(value), zero);
}

/**
 * The report's own totals for the measures of a split: for turnover the documented total, for any other measure the
 * figure of the whole report, on the same side of VAT, that equals the sum of the rows.
 */
export function reportedTotals(
  parts: readonly TurnoverFigure[],
  ofReport: readonly TurnoverFigure[],
): TurnoverFigure[] {
  const names = (figures: readonly TurnoverFigure[]) =>
    turnoverNames(removeParts([...new Set(figures.map(({ measure }) => measure))]));
  const [turnover, totals] = [names(parts), names(ofReport)];
  return [...groupBy(parts, ({ measure }) => measure)].flatMap(([measure, figures]) => {
    const ofSide = ofReport.filter(
      (fact) => fact.measure.endsWith('_wt') === measure.endsWith('_wt'),
    );
    const documented = turnover.includes(measure)
      ? ofSide.filter((fact) => totals.includes(fact.measure))
      : [];
    const added = addFigures(figures);
    const total =
      documented.length === 1
        ? documented[0]
        : ofSide.find((fact) => fact.value.eq(added) && !isOfParts(fact.measure));
    if (!total || isOfParts(measure)) return [];
    const { value, isSum } = total;
    return [{ measure, value, subject: whole, ...(isSum && { isSum }) }];
  });
}

/** Totals made by adding up rows: reports of locations, counts of orders. */
export function addedTotals(parts: readonly TurnoverFigure[]): TurnoverFigure[] {
  const summable = parts.filter(({ measure }) => !isOfParts(measure));
  return [...groupBy(summable, ({ measure }) => measure).values()].map(([first, ...others]) => {
    return { ...first, value: addFigures([first, ...others]), subject: whole, isSum: true };
  });
}

/** How many orders the list has. The average order has a measure for each side of VAT. */
export const orderCount = 'order_count';
const vatSides = ['', '_wt'] as const;
const averageOf = (side: VatSide) => `average_order_value${side}`;

type VatSide = (typeof vatSides)[number];

/** Whether requested names ask for order counts. Parts of three characters such as `_wt` do not: counting costs requests. */
export function asksForOrders(names: readonly string[] = []): boolean {
  const parts = names.map(asPart).filter((part) => part.length > 3);
  const measures = [orderCount, ...vatSides.map(averageOf)];
  return parts.some((part) => measures.some((name) => name.includes(part)));
}

/** The measures that become available when orders are counted. */
export function orderMeasuresOf(names: readonly string[]): string[] {
  return [orderCount, ...vatSides.filter((side) => turnoverOn(side, names)).map(averageOf)];
}

/** The average order of each id, for each side of VAT that the report gives. */
export function averageOrders(figures: readonly TurnoverFigure[]): TurnoverFigure[] {
  const names = figures.map(({ measure }) => measure);
  const counts = figures.filter(({ measure, value }) => measure === orderCount && !value.isZero());
  return vatSides.flatMap((side) => {
    const turnover = turnoverOn(side, names);
    const definition = `is ${turnover} divided by ${orderCount}, to the cent`;
    return counts.flatMap(({ subject, value: orders }) => {
      const divided = figures.find(
        (figure) => figure.measure === turnover && figure.subject.id === subject.id,
      );
      const value = divided?.value.div(orders).toDecimalPlaces(2);
      return value ? [{ measure: averageOf(side), value, subject, definition }] : [];
    });
  });
}

/** The measure that means turnover on a side of VAT; undefined where none does, or more than one: either would be a guess. */
export function turnoverOn(side: VatSide, names: readonly string[]): string | undefined {
  const isWithVat = side === '_wt';
  const [first, ...others] = new Set(
    turnoverNames(names).filter((name) => name.endsWith('_wt') === isWithVat),
  );
  return others.length === 0 ? first : undefined;
}
