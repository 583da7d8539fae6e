import type { TokenSource } from '../auth/tokens.ts';
import type { Keeper } from './keeper.ts';
import { accountIdOf } from './provider.ts';

const checkMs = 1000;
const sweepMs = 60 * 60_000;

/**
 * Ends sign-ins for good when their entry is removed from the list of tokens, even while the server is down.
 * @returns a function that stops it
 */
export function endRemovedSignIns(keeper: Keeper, tokens: TokenSource): () => void {
  let lastEntries: readonly string[] = [];
  let removedIds: ReadonlySet<string> | undefined = new Set();
  let sweptMs = 0;
  async function checkEntries(): Promise<void> {
    const entries = (await tokens()).tokens.map(accountIdOf);
    const missingIds = lastEntries.filter((id) => !entries.includes(id));
    lastEntries = entries;
    if (missingIds.length > 0) removedIds = new Set([...(removedIds ?? []), ...missingIds]);
    if (removedIds) {
      for (const name of await keeper.list('Grant')) {
        const { accountId } = (await keeper.get('Grant', name)) ?? {};
        const id = String(accountId);
        if (removedIds.has(id) || !entries.includes(id)) await keeper.remove('Grant', name);
      }
      removedIds = undefined;
    }
    const nowMs = Date.now();
    if (nowMs - sweptMs < sweepMs) return;
    await keeper.sweep();
    sweptMs = nowMs;
  }
  let isStopped = false;
  // A failed check is repeated by the next one.
  const next = () =>
    void checkEntries()
      .catch(() => {})
      .then(() => isStopped || setTimeout(next, checkMs).unref());
  next();
  return () => {
    isStopped = true;
  };
}
