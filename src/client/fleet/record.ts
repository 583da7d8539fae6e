import { z } from 'zod';
import { parseJson } from '../../core/json.ts';
import { type BudgetState, unknownBudget } from '../rate-limit/budget-state.ts';
import type { Ceiling } from '../rate-limit/headers.ts';

/** What all replicas on a key believe together. Times are milliseconds of the Redis clock. */
export interface LimiterRecord {
  pace: BudgetState;
  /** Section 8.4: every ceiling that the platform lists. */
  policy: Ceiling[];
  /** The replicas by their own name. */
  members: Record<string, Member>;
  /** After an outage: how many replicas there were, and which of them are back since when. */
  expected: Expected;
  writtenAtMs: number;
}

/** Until `untilMs`, replicas not seen since `sinceMs` may still be alone and rely on their share. */
export interface Expected {
  count: number;
  sinceMs: number;
  untilMs: number;
}

/** A replica, and the permits that it holds. */
export interface Member {
  seenAtMs: number;
  out: Outstanding[];
}

/** Permits of one window whose requests are under way. */
export interface Outstanding {
  window: number;
  count: number;
  /** How many of them are probes. */
  probes: number;
}

/** What stands in Redis before anybody has written. */
export const emptyRecord: LimiterRecord = {
  pace: unknownBudget,
  policy: [],
  members: {},
  expected: { count: 0, sinceMs: 0, untilMs: 0 },
  writtenAtMs: Number.NEGATIVE_INFINITY,
};

/** The record as it is kept in Redis. */
export function encodeRecord(record: LimiterRecord): string {
  return JSON.stringify(record);
}

/** The record behind a text; undefined where it is none that we would have written. */
export function decodeRecord(text: string): LimiterRecord | undefined {
  if (text.length > maxLength) return undefined;
  const { data } = recordSchema.safeParse(parseJson(text));
  return data && isPlausible(data) ? data : undefined;
}

/** Longest record that a fleet of a thousand replicas writes, in characters. */
const maxLength = 2_000_000;

/** How far the clocks of replicas may be apart. */
const clockDoubtMs = 60_000;

/** No hold longer than an hour is believed; what says more was not written by us. */
const maxHoldMs = 3_600_000 + clockDoubtMs;

/** Times lie around the moment of writing, and as many permits are out as are in flight. */
function isPlausible({ pace, members, expected, writtenAtMs }: LimiterRecord): boolean {
  const all = Object.values(members);
  const out = all.flatMap((member) => member.out);
  const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const latest = [pace.probedAtMs, expected.untilMs, ...all.map(({ seenAtMs }) => seenAtMs)];
  return (
    pace.inFlight === sumOf(out.map(({ count }) => count)) &&
    pace.probes === sumOf(out.map(({ probes }) => probes)) &&
    pace.rollsAtMs <= writtenAtMs + maxHoldMs &&
    latest.every((atMs) => atMs <= writtenAtMs + clockDoubtMs)
  );
}

/** JSON has no infinity: what never was is written as null. */
const sinceEver = z
  .number()
  .nullable()
  .transform((value) => value ?? Number.NEGATIVE_INFINITY);

/** Requests, of all replicas together: each of those in flight is gone through one by one. */
const requests = z.int().min(0).max(100_000);

const recordSchema = z.object({
  pace: z.object({
    meter: z.enum(['unknown', 'off', 'on']),
    window: z.int(),
    quota: z.number().min(0),
    windowMs: z.number().min(0),
    reported: z.number(),
    own: z.number(),
    explained: z.number(),
    rollsAtMs: sinceEver,
    rolledAtMs: sinceEver,
    inFlight: requests,
    probes: requests,
    probedAtMs: z.number(),
    slackMs: z.number().min(0).max(1000),
    refusals: z.int().min(0),
    sharedWindow: sinceEver,
  }),
  policy: z
    .array(
      z.object({
        name: z.string(),
        quota: z.number(),
        windowSeconds: z.number().exactOptional(),
      }),
    )
    .max(1000),
  members: z
    .record(
      z.string(),
      z.object({
        seenAtMs: z.number(),
        out: z.array(z.object({ window: z.int(), count: requests, probes: requests })).max(1000),
      }),
    )
    .refine((members) => Object.keys(members).length <= 1000),
  expected: z.object({ count: requests, sinceMs: z.number(), untilMs: z.number() }),
  writtenAtMs: sinceEver,
});
