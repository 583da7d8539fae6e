import { z } from 'zod';
import { InputError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { quote } from '../../core/text.ts';
import { words } from '../../endpoints/parameters.ts';
import type { FactSplit } from './fact-splits.ts';

/** Which of the platform's measures an answer holds. */
export const measures = z
  .array(words)
  .max(100)
  .optional()
  .describe('Measures or parts of their names, e.g. order_count; default turnover and margin');

/**
 * What a person means by turnover (section 2, "Financial report"): the report's own total with and
 * without VAT and its margin; split, whatever of a split is called turnover. The names within a split
 * are not documented: where nothing is called so, all of it is meant.
 */
const meant: readonly Meant[] = [
  { turnover: /^revenue\.total_turnover/, beside: /^revenue\.margin/ },
  { turnover: /(^|\.)turnover(_wt|_ex)?$/ },
];

/** Which measures are the turnover, and which stand beside it where there is one. */
interface Meant {
  turnover: RegExp;
  beside?: RegExp;
}

/** Who asks for measures, for error texts. */
interface Asked {
  tool: string;
  by: FactSplit;
}

/** Some measures chosen of all there are. */
export interface ChosenMeasures {
  isChosen(measure: string): boolean;
  /** Those that are left out; `total_sales[_wt]` stands for one without and with VAT. */
  others: string[];
}

/**
 * The measures that `wanted` names, wholly or in part; without it those that are meant by turnover.
 * @throws InputError when a name fits none, with the nearest and some of those there are
 */
export function chooseMeasures(
  all: readonly string[],
  wanted: readonly string[] | undefined,
  asked: Asked,
): ChosenMeasures {
  const names = [...new Set(all)];
  const chosen = new Set(wanted === undefined ? usual(names) : named(names, wanted, asked));
  return {
    isChosen: (measure) => chosen.has(measure),
    others: pairTwins(names.filter((name) => !chosen.has(name))),
  };
}

/** Which of some measures are the turnover itself: incl. and excl. VAT. */
export function turnoverAmong(names: readonly string[]): string[] {
  const found = meant.find(({ turnover }) => names.some((name) => turnover.test(name)));
  return found === undefined ? [] : names.filter((name) => found.turnover.test(name));
}

/** What stands behind the name of a measure that comes without and with VAT. */
export const twin = '[_wt]';

/** `total_sales` and `total_sales_wt` as one. */
function pairTwins(names: readonly string[]): string[] {
  const all = new Set(names);
  return names
    .filter((name) => !(name.endsWith('_wt') && all.has(name.slice(0, -'_wt'.length))))
    .map((name) => (all.has(`${name}_wt`) ? `${name}${twin}` : name));
}

function usual(names: readonly string[]): readonly string[] {
  for (const { turnover, beside } of meant) {
    if (names.some((name) => turnover.test(name)))
      return names.filter((name) => turnover.test(name) || beside?.test(name));
  }
  return names;
}

function named(names: readonly string[], wanted: readonly string[], asked: Asked): string[] {
  return wanted.flatMap((given) => {
    const part = given.trim().toLowerCase();
    if (part.endsWith(twin))
      return named(
        names,
        [part.slice(0, -twin.length), `${part.slice(0, -twin.length)}_wt`],
        asked,
      );
    const exact = names.filter((name) => name.toLowerCase() === part);
    const found =
      exact.length > 0 ? exact : names.filter((name) => name.toLowerCase().includes(part));
    if (found.length > 0 || names.length === 0) return found;
    const meantName = nearest(part, names);
    const { tool, by } = asked;
    const split = by === 'total' ? '' : ` by ${by}`;
    const rest =
      by === 'total' ? '' : ' The report splits some measures only: without by there are more.';
    const hint = meantName ? ` Did you mean ${meantName}?` : '';
    throw new InputError(
      `${tool}: no measure${split} is called "${quote(given)}".${hint} There are ${pairTwins(names).slice(0, 30).join(', ')}.${rest}`,
      'measures',
    );
  });
}
