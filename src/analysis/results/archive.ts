import { z } from 'zod';
import type { SharedCache } from '../../client/fleet/shared-cache.ts';
import { parseJson } from '../../core/json.ts';
import { toolsets } from '../../endpoints/define.ts';
import type { KeptRows, ResultArchive, ResultClaim } from './store.ts';

/** Results in the cache that all replicas reach. Nothing that comes out of it is believed unseen. */
export function openArchive(cache: SharedCache): ResultArchive {
  return {
    async put(result, forMs) {
      const { id, owner, toolsets: open, tool, context, rows, rest, expiresAtMs } = result;
      const origin = { tool, arguments: result.arguments, context, ...(rest && { rest }) };
      const entry = { ...origin, id, owner, toolsets: open, rows, expiresAtMs };
      await cache.put(id, entry, forMs, {
        owner,
        label: JSON.stringify({ owner, toolsets: open }),
      });
    },
    get: (id) => cache.get(id, (value) => readResult(id, value)),
    async list() {
      const listed = [...(await cache.list())].map(([id, label]) => [id, claimOf(label)] as const);
      return new Map(listed.flatMap(([id, claim]) => (claim ? [[id, claim]] : [])));
    },
  };
}

const claim = z.object({ owner: z.string().min(1).max(500), toolsets: z.array(z.enum(toolsets)) });
const short = z.string().max(500);
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
  rows: z.int(),
  calls: z.int(),
  as_of: short,
  cached: z.literal(true).exactOptional(),
  complete: z.boolean(),
  result: short.exactOptional(),
});

/** The context as our own answers write it; what it holds beside that is not passed on. */
const context = z.object({
  endpoint: short,
  source: z.enum(['live', 'sandbox']),
  as_of: short,
  cached: z.literal(true).exactOptional(),
  period: period.exactOptional(),
  reference_period: period.exactOptional(),
  resolved: z
    .record(z.string(), z.object({ given: short, id: z.int(), name: short }))
    .exactOptional(),
  tables: z.array(tableUse).max(1000).exactOptional(),
  warnings: z.array(z.string().max(4000)).max(1000).exactOptional(),
});

const entry = claim.extend({
  ...call.shape,
  id: z.string().regex(/^r_[0-9a-z]{10}$/),
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

/** A claim that cannot be read belongs to nobody. */
function claimOf(label: string): ResultClaim | undefined {
  return claim.safeParse(parseJson(label)).data;
}
