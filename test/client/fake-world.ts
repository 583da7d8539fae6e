import { type Client, createClient } from '../../src/client/client.ts';
import type { Priority } from '../../src/client/rate-limit/shares.ts';
import type { ClientSettings, Runtime } from '../../src/client/transport/runtime.ts';
import { FakeClock } from './fake-clock.ts';
import { type Behaviour, FakePlatform } from './fake-platform.ts';

/** The settings of a client whose patience is never the matter. */
export const settings: ClientSettings = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://auth.example.com',
  clientId: 'commerce.acme.1',
  clientSecret: 'the-secret-of-acme',
  concurrency: 8,
  timeoutMs: 30_000,
  maxWaitMs: 3_600_000,
  maxRows: 100_000,
};

/** A client, the platform it asks and the clock that rules both. */
export function world(
  behaviour: Partial<Behaviour> = {},
  more: Partial<ClientSettings> = {},
  runtime: Partial<Runtime> = {},
) {
  const clock = new FakeClock();
  const platform = new FakePlatform(clock, behaviour);
  const client = createClient({ ...settings, ...more }, { ...platform.runtime(), ...runtime });
  return { clock, platform, client };
}

/** So many different questions at once; `priority` is interactive unless given. */
export const ask = (client: Client, count: number, priority?: Priority) =>
  Promise.all(
    Array.from({ length: count }, (_, id) =>
      client.get(`/api/order/${id}`, { ...(priority && { priority }) }),
    ),
  );
