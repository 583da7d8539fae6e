import { z } from 'zod';
import { InputError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { quote } from '../../core/text.ts';
import { words } from '../../endpoints/parameters.ts';
import type { FactSplit } from './facts.ts';

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

/** `total_sales[_wt]` stands for one measure without and with VAT. */
export const twin = '[_wt]';

/** Some measures chosen of all there are. */
interface ChosenMeasures {
  isChosen(measure: string): boolean;
  /** Those left out, with {@link twin} where there are two sides of VAT. */
  others: string[];
}

/**
 * The measures that `wanted` names, wholly or in part; by default those that mean turnover.
 * @throws InputError when a name fits none, with the nearest and some of those there are
 */
export function chooseMeasures(
  all: readonly string[],
  wanted: readonly string[] | undefined,
  asked: { tool: string; by: FactSplit },
): ChosenMeasures {
  const names = [...new Set(all)];
  const usual = meaningOf(names)?.shown;
  const chosen = new Set(
    wanted?.flatMap((given) => named(names, given, asked)) ??
      names.filter((name) => usual?.test(name) ?? true),
  );
  return {
    isChosen: (measure) => chosen.has(measure),
    others: pairTwins(names.filter((name) => !chosen.has(name))),
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

function named(
  names: readonly string[],
  given: string,
  asked: { tool: string; by: FactSplit },
): string[] {
  const part = given.trim().toLowerCase();
  if (part.endsWith(twin)) {
    const plain = part.slice(0, -twin.length);
    return [plain, `${plain}_wt`].flatMap((one) => named(names, one, asked));
  }
  const exact = names.filter((name) => name.toLowerCase() === part);
  const found =
    exact.length > 0 ? exact : names.filter((name) => name.toLowerCase().includes(part));
  if (found.length > 0 || names.length === 0) return found;
  const { tool, by } = asked;
  const nearestName = nearest(part, names);
  const hint = nearestName ? ` Did you mean ${nearestName}?` : '';
  const [split, rest] =
    by === 'total'
      ? ['', '']
      : [` by ${by}`, ' The report splits some measures only: without by there are more.'];
  throw new InputError(
    `${tool}: no measure${split} is called "${quote(given)}".${hint} There are ${pairTwins(names).slice(0, 30).join(', ')}.${rest}`,
    'measures',
  );
}
