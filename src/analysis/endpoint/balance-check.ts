import { isRecord } from '../../core/json.ts';
import { type Decimal, difference as differenceOf, toDecimal } from '../../core/money.ts';
import { passOn } from '../../core/text.ts';

/**
 * Section 2: `balance_check` verifies that the payments sum equals the total. Its inner fields are
 * not documented, so it is read by what it says rather than by names: a claim that is false, or
 * figures that should agree and do not.
 */

/**
 * Sentences about every `balance_check` in a report that does not balance, with the difference.
 * `about` says which report it is, such as `2026-11-11`.
 */
export function balanceWarnings(report: unknown, about = ''): string[] {
  const warnings = new Set<string>();
  for (const { path, check } of findChecks(report)) {
    const verdict = readCheck(check);
    if (verdict.balances) continue;
    const difference = verdict.difference
      ? ` The difference is ${verdict.difference.toFixed(2)} euros.`
      : '';
    warnings.add(
      `Payments${about && ` of ${about}`} do not balance with the total (${path}).${difference} ${passOn}`,
    );
  }
  return [...warnings];
}

interface Verdict {
  balances: boolean;
  /** Signed as the check gives it, or the first figure minus the second. */
  difference?: Decimal | undefined;
}

function readCheck(check: unknown): Verdict {
  if (typeof check === 'boolean') return { balances: check };
  const found = leaves(check);
  const claims = found.flatMap(({ value }) => (typeof value === 'boolean' ? [value] : []));
  if (claims.length > 0 && claims.every(Boolean)) return { balances: true };
  const figures = found.flatMap(({ name, value }): Figure[] => {
    const amount = toDecimal(value);
    return amount === undefined ? [] : [{ name, amount }];
  });
  const difference = namedDifference(figures) ?? findDifference(figures.map((it) => it.amount));
  const balances = claims.length === 0 && (!difference || difference.isZero());
  return { balances, difference: difference?.isZero() ? undefined : difference };
}

interface Figure {
  name: string;
  amount: Decimal;
}

/** What a platform would call a difference; where none is called so, the figures speak alone. */
const differenceName = /diff|delta|gap|mismatch|deviat|discrepan|verschil|afwijk/i;

/** Of several differences, such as one a rate, the first that is not zero. */
function namedDifference(figures: readonly Figure[]): Decimal | undefined {
  const named = figures.filter(({ name }) => differenceName.test(name));
  return (named.find(({ amount }) => !amount.isZero()) ?? named[0])?.amount;
}

/**
 * Among a, b and a-b the difference; of two figures their difference; a lone figure is one. Each of
 * the three is the difference of the others: the last one is taken, as one writes them.
 */
function findDifference(figures: readonly Decimal[]): Decimal | undefined {
  const [first, second] = figures;
  if (first === undefined) return undefined;
  if (second === undefined) return first;
  if (figures.length === 2) return differenceOf(first, second);
  for (const candidate of figures.toReversed()) {
    const others = figures.filter((figure) => figure !== candidate);
    const explains = others.some((a) =>
      others.some((b) => a !== b && a.minus(b).abs().eq(candidate.abs())),
    );
    if (explains) return candidate;
  }
  return undefined;
}

function findChecks(report: unknown): { path: string; check: unknown }[] {
  const found: { path: string; check: unknown }[] = [];
  const walk = (value: unknown, above: string): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, above);
    if (!isRecord(value)) return;
    for (const key of Object.keys(value)) {
      const inner = value[key];
      if (typeof inner !== 'object' && key !== 'balance_check') continue;
      const path = `${above}${key}`;
      if (key === 'balance_check') found.push({ path, check: inner });
      else walk(inner, `${path}.`);
    }
  };
  walk(report, '');
  return found;
}

/** What a value holds in the end, with the name it stands under. */
function leaves(value: unknown, name = ''): { name: string; value: unknown }[] {
  if (Array.isArray(value)) return value.flatMap((item) => leaves(item, name));
  if (!isRecord(value)) return [{ name, value }];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, key));
}
