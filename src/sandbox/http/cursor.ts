/** The opaque cursors of the two change feeds (docs/platform.md#change-feeds). */
import type { z } from 'zod';
import { readTime } from './parameters.ts';
import { badParameter } from './problem.ts';

/**
 * Where a feed begins: at a moment, or where its cursor says.
 * @throws ProblemError 400 when not exactly one is given, or the text is no cursor of this feed
 */
export function feedPlace<Cursor>(
  { since, cursor = '' }: { since?: string | undefined; cursor?: string | undefined },
  form: z.ZodType<Cursor>,
  at: (ms: number) => Cursor,
): Cursor {
  if ((since === undefined) === (cursor === '')) {
    throw badParameter('since', 'give exactly one of since and cursor.');
  }
  if (since !== undefined) return at(readTime(since).toMillis());
  const read = form.safeParse(parse(Buffer.from(cursor, 'base64url').toString()));
  if (read.success) return read.data;
  throw badParameter('cursor', 'is malformed: send next_cursor of an earlier answer unchanged.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
