import type { JsonObject } from '../../core/json.ts';
import { type Period, resolvePeriod } from '../../core/periods.ts';
import type { TableCall } from '../../query/provider.ts';
import type { Call } from '../answer.ts';
import { spaceOf } from '../reference/reference.ts';
import { resolveReference } from '../reference/resolve.ts';
import type { Services } from '../services.ts';
import type { Ask, TablePlan } from './table-plan.ts';

/** The calls of a list argument that mean something of their own: `3` and the name of shop 3 are one. */
export async function distinctAsks(
  { reference }: Services,
  { tool, asks }: TablePlan,
  { nowMs, signal }: Call,
): Promise<readonly Ask[]> {
  if (asks.length === 1) return asks;
  const meant = async ([name, value]: [string, unknown]): Promise<unknown> => {
    const space = spaceOf(name);
    // What cannot be meant is told when it is asked.
    if (space && typeof value === 'string')
      return resolveReference(reference, tool.tool, space, value, signal).then(
        ({ id }) => id,
        () => value,
      );
    const days = daysOf({ [name]: value }, nowMs);
    return days ? [days.from, days.to] : value;
  };
  const distinct = new Map<string, Ask>();
  const numberOf = numbers();
  for (const ask of asks) {
    const given = await Promise.all(Object.entries(ask.input).map(meant));
    const key = JSON.stringify([numberOf(ask.call), given]);
    if (!distinct.has(key)) distinct.set(key, ask);
  }
  return [...distinct.values()];
}

/** Numbers calls in the place of their keys, which hold every value of a list. */
function numbers(): (call: TableCall) => number {
  const known = new Map<TableCall, number>();
  return (call) => {
    const number = known.get(call) ?? known.size;
    known.set(call, number);
    return number;
  };
}

function daysOf({ period, date = period }: JsonObject, nowMs: number): Period | undefined {
  if (typeof date !== 'string') return undefined;
  try {
    return resolvePeriod({ period: date }, nowMs);
  } catch {
    return undefined;
  }
}

/** That rows of two calls of one list argument are the same, for their periods share days. */
export function sayOverlaps({ table, asks }: TablePlan, nowMs: number): string[] {
  const calls = new Map<string, Period[]>();
  const numberOf = numbers();
  for (const { call, input } of asks) {
    const { period, ...others } = input;
    const days = Array.isArray(call.args.period) ? daysOf({ period }, nowMs) : undefined;
    if (days === undefined) continue;
    const key = JSON.stringify([numberOf(call), others]);
    calls.set(key, [...(calls.get(key) ?? []), days]);
  }
  for (const periods of calls.values()) {
    const inOrder = periods.toSorted((a, b) => (a.from < b.from ? -1 : 1));
    for (const [index, later] of inOrder.entries()) {
      const earlier = inOrder[index - 1];
      if (earlier === undefined || later.from > earlier.to) continue;
      return [
        `${table}: the periods ${earlier.given} and ${later.given} share days (from ${later.from} on): rows of these are there twice. Give periods that do not overlap, or GROUP BY period.`,
      ];
    }
  }
  return [];
}
