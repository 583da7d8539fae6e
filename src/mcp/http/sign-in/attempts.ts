/** Bounds on what strangers may attempt in a minute, from one address and from all together. */
import { randomUUID } from 'node:crypto';
import { countedAddress } from '../address.ts';
import { RefusalError, refusalMessages } from '../refusals.ts';
import { type Keeper, nameOf } from './keeper.ts';

const minuteMs = 60_000;

/** Counts that this process keeps. `all` bounds what a flood from many addresses can make it keep or ask. */
const bounds = {
  registrations: { address: 120, all: 3000 },
  pages: { address: 120, all: 3000 },
  'client documents': { address: 10, all: 300 },
};

/** Counts attempts. @throws {RefusalError} for one too many, with the seconds until the next minute */
export type CountAttempt = (what: keyof typeof bounds, address: string) => void;

/** @param elapsed a clock in milliseconds that never goes back */
export function openAttempts(elapsed = () => performance.now()): CountAttempt {
  const counts = new Map<string, number>();
  let beganMs = -minuteMs;
  return (what, address) => {
    if (elapsed() - beganMs >= minuteMs) {
      beganMs = elapsed();
      counts.clear();
    }
    const mine = `${what} ${countedAddress(address)}`;
    const ofAddress = counts.get(mine) ?? 0;
    const ofAll = counts.get(what) ?? 0;
    if (ofAddress >= bounds[what].address || ofAll >= bounds[what].all)
      throw tooMany(what, beganMs + minuteMs - elapsed());
    counts.set(mine, ofAddress + 1).set(what, ofAll + 1);
  };
}

const maxWrongTokens = 5;

/**
 * Counts an attempt at a token before it is looked at, over all replicas, so that of many at the same time no more are.
 * @returns what takes it back
 * @throws {RefusalError} for one too many
 */
export async function attemptToken(keeper: Keeper, address: string) {
  const what = 'wrong tokens';
  const kind = `Attempt-${nameOf(`${what} ${countedAddress(address)}`)}`;
  const name = `${Date.now()}-${randomUUID()}`;
  await keeper.put(kind, name, {}, 60);
  const takeBack = () => keeper.remove(kind, name);
  const all = await keeper.list(kind);
  if (all.length <= maxWrongTokens) return takeBack;
  // The first of them stay, so that a flood does not forget itself; the others prolong nothing.
  if (all.indexOf(name) >= maxWrongTokens) await takeBack();
  throw tooMany(what, minuteMs - (Date.now() - Number.parseInt(all[0] ?? '', 10)));
}

function tooMany(what: string, restMs: number): RefusalError {
  const seconds = Math.ceil(restMs / 1000);
  const headers = { 'retry-after': String(seconds) };
  return new RefusalError(refusalMessages.too_many_attempts({ what, seconds }), { headers });
}
