import { parseCount } from '../transport/retry-after.ts';

/** Section 8.4: what an answer says about the rate budget of the key, each part where it was readable. */
export interface BudgetReport {
  /** Name of the one ceiling that `limit`, `remaining` and `resetSeconds` describe. */
  policy?: string;
  /** Requests a window of that ceiling. */
  limit?: number;
  /** Requests left in its window. */
  remaining?: number;
  /** Seconds until its window rolls. */
  resetSeconds?: number;
  /** Every ceiling that `RateLimit-Policy` lists. */
  ceilings: Ceiling[];
}

/** One named ceiling: `quota` requests a window. */
export interface Ceiling {
  name: string;
  quota: number;
  windowSeconds?: number;
}

/**
 * The budget that an answer reports, or undefined when it carries none of the five headers
 * (section 8.4: not counted, which is not the same as nothing left) or none that can be read.
 * Where two headers contradict each other, the more careful value counts, as far as it makes sense:
 * a ceiling of nothing is none, and no window ends later than the longest one lasts.
 */
export function parseBudget(
  header: (name: string) => string | undefined,
): BudgetReport | undefined {
  const ceilings = parseCeilings(header('ratelimit-policy'));
  const state = parseState(header('ratelimit'));
  const report: BudgetReport = { ceilings };
  const limit = parseCount(header('ratelimit-limit')) || state.limit || undefined;
  const remaining = least(parseCount(header('ratelimit-remaining')), state.remaining);
  const resetSeconds = most(parseCount(header('ratelimit-reset')), state.resetSeconds);
  const policy = state.policy ?? ceilings.find((ceiling) => ceiling.quota === limit)?.name;
  if (limit !== undefined) report.limit = limit;
  if (remaining !== undefined) report.remaining = Math.min(remaining, limit ?? remaining);
  if (resetSeconds !== undefined) report.resetSeconds = Math.min(resetSeconds, longest(ceilings));
  if (policy !== undefined) report.policy = policy;
  const told = ceilings.length > 0 || limit !== undefined || remaining !== undefined;
  return told ? report : undefined;
}

/** What a report means for GETs, which the `general` ceiling counts. */
export interface ReadBudget {
  limit?: number;
  remaining?: number;
  resetSeconds?: number;
  windowSeconds?: number;
}

/**
 * Section 8.4: the headers describe one ceiling only, the one closest to refusing next. When that
 * is the write ceiling, its `remaining` refuses no GET, and its reset counts for reads only where
 * both ceilings have the same window.
 */
export function readBudget(report: BudgetReport): ReadBudget {
  const general = report.ceilings.find((ceiling) => ceiling.name === 'general');
  const described = report.ceilings.find((ceiling) => ceiling.name === report.policy);
  const window =
    general?.windowSeconds === undefined ? {} : { windowSeconds: general.windowSeconds };
  const reset = report.resetSeconds === undefined ? {} : { resetSeconds: report.resetSeconds };
  if (report.policy === 'write') {
    return {
      ...window,
      ...(general ? { limit: general.quota } : {}),
      ...(general && general.windowSeconds === described?.windowSeconds ? reset : {}),
    };
  }
  const limit = least(report.limit, general?.quota);
  return {
    ...window,
    ...reset,
    ...(limit === undefined ? {} : { limit }),
    ...(report.remaining === undefined ? {} : { remaining: report.remaining }),
  };
}

/** Every answer lists the same ceilings: they are read when they change. */
const parseCeilings: (value: string | undefined) => Ceiling[] = rememberCeilings();

function rememberCeilings(): typeof parseCeilings {
  let known: string | undefined;
  let ceilings: Ceiling[] = [];
  return (value) => {
    if (value !== known) ceilings = readCeilings(value);
    known = value;
    return ceilings;
  };
}

function readCeilings(value: string | undefined): Ceiling[] {
  return items(value).flatMap(({ name, parameters }) => {
    const quota = parameters.get('q');
    const windowSeconds = parameters.get('w');
    if (name === '' || !quota) return [];
    return [{ name, quota, ...(windowSeconds ? { windowSeconds } : {}) }];
  });
}

/** Seconds of the longest window, without end where one of them is not told. */
function longest(ceilings: readonly Ceiling[]): number {
  if (ceilings.length === 0) return Number.POSITIVE_INFINITY;
  return Math.max(...ceilings.map((ceiling) => ceiling.windowSeconds ?? Number.POSITIVE_INFINITY));
}

function parseState(value: string | undefined): Omit<BudgetReport, 'ceilings'> {
  const states = items(value);
  const state = states.find((item) => item.name === 'general') ?? states[0];
  if (!state) return {};
  const remaining = state.parameters.get('r');
  const resetSeconds = state.parameters.get('t');
  const limit = state.parameters.get('q');
  return {
    ...(state.name === '' ? {} : { policy: state.name }),
    ...(remaining === undefined ? {} : { remaining }),
    ...(resetSeconds === undefined ? {} : { resetSeconds }),
    ...(limit === undefined ? {} : { limit }),
  };
}

interface Item {
  name: string;
  parameters: Map<string, number>;
}

/** The items of a structured list such as `"general";q=300;w=60, "write";q=60;w=60`. */
function items(value: string | undefined): Item[] {
  if (value === undefined) return [];
  return value.split(',').map((item) => {
    const [name = '', ...rest] = item.split(';').map((part) => part.trim());
    const parameters = new Map<string, number>();
    for (const part of rest) {
      const [key = '', given] = part.split('=').map((side) => side.trim());
      const count = parseCount(given);
      if (count !== undefined) parameters.set(key.toLowerCase(), count);
    }
    return { name: name.replaceAll('"', '').toLowerCase(), parameters };
  });
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : Math.min(a, b ?? a);
}

function most(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : Math.max(a, b ?? a);
}
