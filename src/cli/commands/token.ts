import { createHash, randomBytes } from 'node:crypto';
import type { CommandLine } from '../command-line.ts';
import { UsageError } from '../command-line.ts';

/** A token that nobody can guess, and the entry of COMMERCE_HTTP_TOKENS_FILE that lets it in without holding it. */
export async function newToken({ operands }: CommandLine): Promise<0> {
  const [verb, name = ''] = operands;
  if (verb !== 'new' || !/^[\w.@-]{1,64}$/.test(name))
    throw new UsageError({ code: 'token_usage' });
  const token = randomBytes(32).toString('base64url');
  const digest = createHash('sha256').update(token).digest('hex');
  process.stdout.write(`${token}\n${name}:sha256:${digest}\n`);
  return 0;
}
