/** Keys of access tokens. One signs; earlier ones verify until their last token has ended. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { daySeconds, type Keeper } from './keeper.ts';

export const accessSeconds = 60 * 60;

/** Allowance for differing clocks and tokens that are just being signed. */
const marginSeconds = 60;

const kind = 'SigningKeys';

const text = z.string();

const signingKey = z.object({
  jwk: z.object({ kid: text, kty: text, crv: text, x: text, y: text, d: text }),
  /** End of its last token; missing for the key that signs. */
  untilMs: z.number().exactOptional(),
});

export type SigningKey = z.output<typeof signingKey>;

/**
 * Reads the stored keys, with the signing one first. Makes a key if there is none, and stores keys of this replica
 * again if the store has lost them.
 * @param ownKeys the keys of this replica
 * @returns `keysDiffer`: the store had keys that this replica did not hold; from now on both are stored and verify
 */
export async function followKeys(keeper: Keeper, ownKeys: readonly SigningKey[]) {
  const storedKeys = await readKeys(keeper);
  const lostKeys = ownKeys.filter(
    (key) => isValid(key) && !storedKeys.some(({ jwk }) => jwk.kid === key.jwk.kid),
  );
  if (storedKeys.length > 0 && lostKeys.length === 0)
    return { keys: storedKeys, keysDiffer: false };
  if (storedKeys.length > 0) {
    const keys = [...storedKeys, ...retire(lostKeys)];
    // This replica uses the keys even if they cannot be stored.
    await writeKeys(keeper, keys).catch(() => {});
    return { keys, keysDiffer: true };
  }
  if (lostKeys.length > 0) await writeKeys(keeper, lostKeys);
  else await writeKeys(keeper, [newKey()], true);
  return { keys: await readKeys(keeper), keysDiffer: false };
}

/** Makes a new key, which signs from now on. */
export async function rotateKeys(keeper: Keeper): Promise<void> {
  await writeKeys(keeper, [newKey(), ...retire(await readKeys(keeper))]);
}

function newKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return signingKey.parse({ jwk: { kid: randomUUID(), ...privateKey.export({ format: 'jwk' }) } });
}

function isValid({ untilMs = Infinity }: SigningKey): boolean {
  return untilMs > Date.now();
}

function retire(keys: readonly SigningKey[]): SigningKey[] {
  const untilMs = Date.now() + (accessSeconds + marginSeconds) * 1000;
  return keys.map((key) => ({ untilMs, ...key }));
}

async function readKeys(keeper: Keeper): Promise<SigningKey[]> {
  const { keys } = (await keeper.get(kind, 'keys')) ?? {};
  return (z.array(signingKey).safeParse(keys).data ?? []).filter(isValid);
}

const writeKeys = (keeper: Keeper, keys: readonly SigningKey[], isNew?: true) =>
  keeper.put(kind, 'keys', { keys }, 36_500 * daySeconds, isNew);
