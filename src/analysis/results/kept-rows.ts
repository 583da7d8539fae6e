/** What is kept of an answer, and how it is read where other replicas have kept it: nothing there is trusted. */
import { z } from 'zod';
import type { JsonObject } from '../../core/json.ts';
import { type Toolset, toolsets } from '../../endpoints/define.ts';
import type { Answer, AnswerContext } from '../answer.ts';
import type { Row } from '../rows/rows.ts';

/** Whose a kept result is, and what was open to them when it was made. */
export interface ResultClaim {
  owner: string;
  toolsets: readonly Toolset[];
}

/** Where kept rows came from: the call that read them, and what was known about its answer. */
export interface ResultOrigin {
  tool: string;
  arguments: JsonObject;
  context: AnswerContext;
  /** Present when the platform has rows that these lack. */
  rest?: NonNullable<Answer['rest']>;
}

/** Rows as they are kept, here or where other replicas find them. */
export interface KeptRows extends ResultOrigin, ResultClaim {
  /** `r_` and ten characters that cannot be guessed. */
  id: string;
  rows: readonly Row[];
  /** Epoch milliseconds; being read does not put it off. */
  expiresAtMs: number;
}

const claim = z.object({
  id: z.string().regex(/^r_[0-9a-z]{10}$/),
  owner: z.string().min(1).max(500),
  toolsets: z.array(z.enum(toolsets)),
});

const short = z.string().max(500);
const sentences = z.record(z.string(), z.string().max(4000));
const call = z.object({ tool: short, arguments: z.record(z.string(), z.unknown()) });

const period = z.object({
  from: short,
  to: short,
  timezone: z.literal('Europe/Amsterdam'),
  given: short,
});

const tableUse = call.extend({
  table: short,
  period: period.exactOptional(),
  reference_period: period.exactOptional(),
  rows: z.int(),
  calls: z.int(),
  as_of: short,
  cached: z.literal(true).exactOptional(),
  complete: z.boolean(),
  result: short.exactOptional(),
});

/** All that an answer says of itself; anything else that an entry holds is not passed on. */
const context = z.object({
  endpoint: short,
  source: z.enum(['live', 'sandbox']),
  as_of: short,
  cached: z.literal(true).exactOptional(),
  period: period.exactOptional(),
  reference_period: period.exactOptional(),
  resolved: z
    .record(
      z.string(),
      z.object({
        given: short,
        id: z.int(),
        name: short,
        note: z.string().max(4000).exactOptional(),
      }),
    )
    .exactOptional(),
  left_open: sentences.exactOptional(),
  since: z.object({ given: short, instant: short }).exactOptional(),
  definitions: sentences.exactOptional(),
  more: z.record(z.string(), z.array(short)).exactOptional(),
  tables: z.array(tableUse).max(1000).exactOptional(),
  warnings: z.array(z.string().max(4000)).max(1000).exactOptional(),
} satisfies Record<keyof AnswerContext, z.ZodType>);

const entry = claim.extend({
  ...call.shape,
  context,
  rest: z.object({ next: call.exactOptional() }).exactOptional(),
  rows: z.array(z.record(z.string(), z.unknown())),
  expiresAtMs: z.number(),
});

/** A result that another replica has kept; undefined for what is none, or another one. */
export function readKept(id: string, value: unknown): KeptRows | undefined {
  const { data } = entry.safeParse(value);
  return data?.id === id ? data : undefined;
}
