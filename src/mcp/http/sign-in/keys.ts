/** The keys that access tokens are signed with: one signs, those before it verify until their last token has ended. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { day, type Keeper } from './keeper.ts';

/** Seconds that an access token lasts. */
export const accessSeconds = 60 * 60;

/** Clocks may differ by this much, and a token may be on its way to be signed. */
const marginSeconds = 60;

const kind = 'SigningKeys';

const text = z.string();

const signingKey = z.object({
  /** Private. */
  jwk: z.object({ kid: text, kty: text, crv: text, x: text, y: text, d: text }),
  /** When the last token ends that it signed; none while it signs. */
  untilMs: z.number().exactOptional(),
});

export type SigningKey = z.output<typeof signingKey>;

/**
 * The keys as they are kept, the one that signs first: made where there are none, and put back where a replica holds
 * what was lost.
 * @param held the keys that this replica has signed and verified with
 * @returns also whether others are kept than it held: those are kept as well from now on, and the kept one signs
 */
export async function followKeys(keeper: Keeper, held: readonly SigningKey[]) {
  const kept = await readKeys(keeper);
  const lost = held.filter(
    (key) => isGood(key) && !kept.some(({ jwk }) => jwk.kid === key.jwk.kid),
  );
  if (kept.length > 0 && lost.length === 0) return { keys: kept, areOthers: false };
  if (kept.length > 0) {
    const keys = [...kept, ...retired(lost)];
    // Where they cannot be kept, this replica knows them all the same.
    await writeKeys(keeper, keys).catch(() => {});
    return { keys, areOthers: true };
  }
  if (lost.length > 0) await writeKeys(keeper, lost);
  else await writeKeys(keeper, [newKey()], true);
  return { keys: await readKeys(keeper), areOthers: false };
}

/** Has a new key sign from now on. */
export async function rotateKeys(keeper: Keeper): Promise<void> {
  await writeKeys(keeper, [newKey(), ...retired(await readKeys(keeper))]);
}

function newKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return signingKey.parse({ jwk: { kid: randomUUID(), ...privateKey.export({ format: 'jwk' }) } });
}

function isGood({ untilMs = Infinity }: SigningKey): boolean {
  return untilMs > Date.now();
}

function retired(keys: readonly SigningKey[]): SigningKey[] {
  const untilMs = Date.now() + (accessSeconds + marginSeconds) * 1000;
  return keys.map((key) => ({ untilMs, ...key }));
}

async function readKeys(keeper: Keeper): Promise<SigningKey[]> {
  const { keys } = (await keeper.get(kind, 'keys')) ?? {};
  return (z.array(signingKey).safeParse(keys).data ?? []).filter(isGood);
}

const writeKeys = (keeper: Keeper, keys: readonly SigningKey[], isNew?: true) =>
  keeper.put(kind, 'keys', { keys }, 36_500 * day, isNew);
