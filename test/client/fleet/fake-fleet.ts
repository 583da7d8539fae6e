import { type Client, type ClientSettings, createClient } from '../../../src/client/client.ts';
import { openSharedLimiter, type SharedLimiter } from '../../../src/client/fleet/shared-limiter.ts';
import { FakeClock } from '../fake-clock.ts';
import { type Behaviour, FakePlatform } from '../fake-platform.ts';
import { settings } from '../fake-world.ts';
import { MemoryCell } from './memory-cell.ts';

/** One of several clients on a key. */
export interface Replica {
  client: Client;
  ledger: SharedLimiter;
  /** Cuts it off the cell, and connects it again. */
  cut(isCut: boolean): void;
  /** Ends without a word: no request of it leaves, no answer reaches it, no sign of life. */
  kill(): void;
}

/** Several clients on one key, the cell they share, the platform they ask, and the clock of all. */
export async function fleetOf(
  count: number,
  behaviour: Partial<Behaviour> = {},
  more: Partial<ClientSettings> = {},
  mood: MemoryCell['mood'] = 'serve',
) {
  const clock = new FakeClock();
  const platform = new FakePlatform(clock, behaviour);
  const memory = new MemoryCell(clock);
  memory.mood = mood;
  const replicas = Array.from({ length: count }, () => {
    let isDead = false;
    let isCut = false;
    const never = new Promise<never>(() => {});
    const orNever = <T>(work: Promise<T>) => work.then((value) => (isDead ? never : value));
    const limiter = openSharedLimiter({
      cell: {
        exchange: async (...given) => {
          if (isCut) throw new Error('cut off');
          return isDead ? never : orNever(memory.cell.exchange(...given));
        },
      },
      elapsed: clock.elapsed,
      pause: (ms) => orNever(clock.sleep(ms)),
    });
    const runtime = platform.runtime();
    const answers = { get: async () => undefined, put: async () => {} };
    const client = createClient(
      { ...settings, maxQueued: 100_000, ...more },
      { ...runtime, send: (request) => (isDead ? never : orNever(platform.send(request))) },
      { limiter: limiter, answers },
    );
    const kill = () => {
      isDead = true;
    };
    const cut = (given: boolean) => {
      isCut = given;
    };
    return { client, ledger: limiter, cut, kill };
  });
  await clock.run(Promise.all(replicas.map(({ ledger: limiter }) => limiter.join())));
  return { clock, platform, memory, replicas };
}

/** So many different questions to each replica at once. */
export function askEach(replicas: readonly Replica[], count: number): Promise<unknown>[] {
  return replicas.flatMap(({ client }) =>
    Array.from({ length: count }, (_, id) => client.get(`/api/order/${id}`)),
  );
}

/** Requests let through in each whole window. */
export function servedInFull(platform: FakePlatform): number[] {
  return [...platform.windows.values()].slice(0, -1).map(({ served }) => served);
}
