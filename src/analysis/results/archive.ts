import { z } from 'zod';
import type { SharedValues } from '../../client/fleet/shared-values.ts';
import { parseJson } from '../../core/json.ts';
import { toolsets } from '../../endpoints/define.ts';
import type { AnswerContext } from '../answer.ts';
import type { KeptRows, ResultArchive } from './store.ts';

/** Kept results where all replicas reach them. Whatever comes out of it is checked. */
export function openArchive(values: SharedValues): ResultArchive {
  return {
    async put(result, forMs) {
      const { id, owner, toolsets: open, tool, context, rows, rest, expiresAtMs } = result;
      const origin = { tool, arguments: result.arguments, context, ...(rest && { rest }) };
      const entry = { ...origin, id, owner, toolsets: open, rows, expiresAtMs };
      await values.put(id, entry, forMs, JSON.stringify({ id, owner, toolsets: open }));
    },
    get: (id) => values.get(id, (value) => readResult(id, value)),
    async list() {
      const labels = (await values.labels()).map((text) => claim.safeParse(parseJson(text)).data);
      return new Map(labels.flatMap((label) => (label ? [[label.id, label]] : [])));
    },
  };
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

/** @returns undefined for what is no result, or another one */
function readResult(id: string, value: unknown): KeptRows | undefined {
  const { data } = entry.safeParse(value);
  return data?.id === id ? data : undefined;
}
