/** What an answer says about the rate budget of the key (docs/platform.md#rate-headers). */
import { parseCount } from '../transport/http.ts';

/** The budget for GETs that an answer reports, each part where it could be read. */
export interface BudgetReport {
  /** Requests a window. */
  limit?: number;
  /** Requests left in this window. */
  remaining?: number;
  /** Seconds until the window rolls. */
  resetSeconds?: number;
  /** Length of a window. */
  windowSeconds?: number;
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
 * The budget that an answer reports, or undefined when it carries none of the five headers (then it
 * was not counted, which is not the same as nothing left) or none that can be read.
 *
 * Where two headers contradict each other the more careful value counts. The headers describe one
 * ceiling only, the one closest to refusing: the `remaining` of the write ceiling refuses no GET,
 * and its reset holds for reads only where both ceilings have the same window.
 */
export function parseBudget(
  header: (name: string) => string | undefined,
): BudgetReport | undefined {
  const ceilings = parseCeilings(header('ratelimit-policy'));
  const states = parseItems(header('ratelimit'));
  const state = states.find(({ name }) => name === 'general') ?? states[0];
  const limit = parseCount(header('ratelimit-limit')) || state?.parameters.get('q') || undefined;
  const remaining = least(parseCount(header('ratelimit-remaining')), state?.parameters.get('r'));
  if (ceilings.length === 0 && limit === undefined && remaining === undefined) return undefined;
  const resets = [parseCount(header('ratelimit-reset')), state?.parameters.get('t')];
  const reset = Math.max(...resets.map((seconds) => seconds ?? -1));
  const general = ceilings.find(({ name }) => name === 'general');
  const described =
    ceilings.find(({ name }) => name === state?.name) ??
    ceilings.find(({ quota }) => quota === limit);
  const isWrite = (state?.name || described?.name) === 'write';
  const hasReset = reset >= 0 && !(isWrite && described?.windowSeconds !== general?.windowSeconds);
  const readLimit = isWrite ? general?.quota : least(limit, general?.quota);
  const report: BudgetReport = { ceilings };
  if (readLimit !== undefined) report.limit = readLimit;
  if (remaining !== undefined && !isWrite)
    report.remaining = Math.min(remaining, readLimit ?? remaining);
  if (hasReset) report.resetSeconds = Math.min(reset, longestWindow(ceilings));
  if (general?.windowSeconds !== undefined) report.windowSeconds = general.windowSeconds;
  return report;
}

/** A ceiling of nothing is none. */
function parseCeilings(value: string | undefined): Ceiling[] {
  return parseItems(value).flatMap(({ name, parameters }) => {
    const quota = parameters.get('q');
    const windowSeconds = parameters.get('w');
    if (name === '' || !quota) return [];
    return [{ name, quota, ...(windowSeconds ? { windowSeconds } : {}) }];
  });
}

/** Seconds of the longest window, without end where the length of one is not known. */
function longestWindow(ceilings: readonly Ceiling[]): number {
  const lengths = ceilings.map(({ windowSeconds = Number.POSITIVE_INFINITY }) => windowSeconds);
  return lengths.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...lengths);
}

interface Item {
  name: string;
  parameters: Map<string, number>;
}

/** The items of a structured list such as `"general";q=300;w=60, "write";q=60;w=60`. */
function parseItems(value: string | undefined): Item[] {
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
