/** What is done beside the requests: sign-ins end with their entries, and what has ended goes. */
import { isDeepStrictEqual } from 'node:util';
import type { TokenSource } from '../auth/tokens.ts';
import type { Keeper } from './keeper.ts';
import { accountIdOf } from './provider.ts';

const lookMs = 1000;
const sweepMs = 60 * 60_000;

/**
 * Ends for good the sign-ins of entries that are taken out of the list of tokens, also of those that were when it starts.
 * @returns what stops it
 */
export function keepUp(keeper: Keeper, tokens: TokenSource): () => void {
  let known: readonly string[] | undefined;
  let sweptMs = 0;
  async function look(): Promise<void> {
    const entries = (await tokens()).tokens.map(accountIdOf);
    if (!isDeepStrictEqual(entries, known)) {
      for (const name of await keeper.list('Grant')) {
        const { accountId } = (await keeper.get('Grant', name)) ?? {};
        if (!entries.includes(String(accountId))) await keeper.remove('Grant', name);
      }
      known = entries;
    }
    if (Date.now() - sweptMs < sweepMs) return;
    await keeper.sweep();
    sweptMs = Date.now();
  }
  let isStopped = false;
  // What could not be done is tried again at the next look.
  const next = () =>
    void look()
      .catch(() => {})
      .then(() => isStopped || setTimeout(next, lookMs).unref());
  next();
  return () => {
    isStopped = true;
  };
}
