/** Bounds on the requests of strangers in a minute, for one address and for all addresses. */
import { countedAddress } from '../address.ts';
import { RefusalError, refusalMessages } from '../refusals.ts';

const minuteMs = 60_000;

/** `all` bounds a flood from many addresses. */
const bounds = {
  registrations: { address: 120, all: 3000 },
  pages: { address: 120, all: 3000 },
  'client documents': { address: 10, all: 300 },
  'wrong tokens': { address: 5, all: 3000 },
};

/**
 * Counts an attempt.
 * @returns a function that takes the attempt back, called in the same turn
 * @throws {RefusalError} for one too many, with the seconds until the next minute
 */
export type CountAttempt = (kind: keyof typeof bounds, address: string) => () => void;

/** @param elapsed a clock in milliseconds that never goes back */
export function openAttempts(elapsed = () => performance.now()): CountAttempt {
  const counts = new Map<string, number>();
  let beganMs = -minuteMs;
  return (kind, address) => {
    if (elapsed() - beganMs >= minuteMs) {
      beganMs = elapsed();
      counts.clear();
    }
    const addressKey = `${kind} ${countedAddress(address)}`;
    const countOf = (name: string) => counts.get(name) ?? 0;
    if (countOf(addressKey) >= bounds[kind].address || countOf(kind) >= bounds[kind].all)
      throw tooMany(kind, Math.ceil((beganMs + minuteMs - elapsed()) / 1000));
    const add = (step: number) =>
      void counts.set(addressKey, countOf(addressKey) + step).set(kind, countOf(kind) + step);
    add(1);
    return () => add(-1);
  };
}

function tooMany(kind: string, seconds: number): RefusalError {
  const headers = { 'retry-after': String(seconds) };
  return new RefusalError(refusalMessages.too_many_attempts({ kind, seconds }), { headers });
}
