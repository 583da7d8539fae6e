import { z } from 'zod';
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

/** The record behind a text; the empty one where there is none, or none that can be read. */
export function decodeRecord(text: string): LimiterRecord {
  if (text.length > maxLength) return emptyRecord;
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch {
    return emptyRecord;
  }
}

/** Longest record that a fleet of a thousand replicas writes, in characters. */
const maxLength = 2_000_000;

/** JSON has no infinity: what never was is written as null. */
const sinceEver = z
  .number()
  .nullable()
  .transform((value) => value ?? Number.NEGATIVE_INFINITY);

const recordSchema = z.object({
  pace: z.object({
    meter: z.enum(['unknown', 'off', 'on']),
    window: z.number(),
    quota: z.number(),
    windowMs: z.number(),
    reported: z.number(),
    own: z.number(),
    explained: z.number(),
    rollsAtMs: sinceEver,
    rolledAtMs: sinceEver,
    inFlight: z.number(),
    probes: z.number(),
    probedAtMs: z.number(),
    slackMs: z.number(),
    refusals: z.number(),
    sharedWindow: sinceEver,
  }),
  policy: z.array(
    z.object({
      name: z.string(),
      quota: z.number(),
      windowSeconds: z.number().exactOptional(),
    }),
  ),
  members: z.record(
    z.string(),
    z.object({
      seenAtMs: z.number(),
      out: z.array(z.object({ window: z.number(), count: z.number(), probes: z.number() })),
    }),
  ),
  expected: z.object({ count: z.number(), sinceMs: z.number(), untilMs: z.number() }),
  writtenAtMs: sinceEver,
});
