import { CommerceError } from './errors.ts';

/** What waits for its turn. */
export interface Waiter {
  /** Callers get their turns in rotation. Without a name they count as one. */
  readonly caller?: string | undefined;
  /** Groups of callers get their turns in rotation, and within one its callers; it has the bounds of a caller. */
  readonly group?: string | undefined;
  /** How many it needs, at most those that one caller may have. @default 1 */
  readonly places?: number;
  /** Higher goes first; may change while it waits. @default 0 */
  readonly priority?: number;
  /** Gives up waiting; without effect once the places are granted. */
  readonly signal?: AbortSignal | undefined;
  /** Whether it may go, now that its turn has come; the next one waits behind it. @default true */
  mayGo?(): boolean | Promise<boolean>;
}

/** Most places, and most that may wait: of all together, and of one caller that has a name. */
export interface FairQueueBounds {
  maxActive: number;
  maxWaiting: number;
  /** @default all but one, which are for others */
  maxActivePerCaller?: number;
  /** @default three quarters */
  maxWaitingPerCaller?: number;
}

/** The places that a group or a caller has, and which turn was its latest. */
interface Share {
  held: number;
  turn: number;
  /** That of what has no name is bounded as the whole is. */
  readonly isNamed: boolean;
}

/** What grants an entry its places or sends it away, and of whose group and caller it is. */
interface Turn {
  grant(): void;
  leave(reason: unknown): void;
  shares: readonly [group: Share, caller: Share];
}

/**
 * Places that are granted in fair order, by priority, then groups and their callers in rotation, then arrival, with
 * bounds on how many wait.
 * @example
 * const queue = new FairQueue({ maxActive: 2, maxWaiting: 32 });
 * const release = await queue.enter({ caller: 'ann', signal });
 * try { await work(); } finally { release(); }
 */
export class FairQueue<Entry extends Waiter = Waiter> {
  readonly #bounds: Required<FairQueueBounds>;
  readonly #onBlocked: () => void;
  /** In order of arrival. */
  readonly #line = new Map<Entry, Turn>();
  /** Of groups and callers; forgotten when all have left. */
  readonly #shares = new Map<string, Share>();
  #active = 0;
  #turns = 0;
  #state: 'idle' | 'draining' | 'again' = 'idle';
  #onEmpty: (() => void) | undefined;

  /** @param onBlocked called when no other may go for now */
  constructor(bounds: FairQueueBounds, onBlocked = () => {}) {
    const { maxActive, maxWaiting } = bounds;
    const maxActivePerCaller = Math.max(1, maxActive - 1);
    const maxWaitingPerCaller = Math.ceil(maxWaiting * 0.75);
    this.#bounds = { maxActivePerCaller, maxWaitingPerCaller, ...bounds };
    this.#onBlocked = onBlocked;
  }

  /** Places in use. */
  get active(): number {
    return this.#active;
  }

  /** Those that wait, in order of arrival. */
  get waiting(): Entry[] {
    return [...this.#line.keys()];
  }

  /** The entry that is to go next, where there are places for it. */
  get next(): Entry | undefined {
    const { maxActive, maxActivePerCaller } = this.#bounds;
    if (this.#active >= maxActive) return undefined;
    let first: [Entry, Turn] | undefined;
    for (const waiting of this.#line) {
      const [{ places = 1 }, { shares }] = waiting;
      const isFull = ({ isNamed, held }: Share) => isNamed && held + places > maxActivePerCaller;
      if (!shares.some(isFull) && (!first || isBefore(waiting, first))) first = waiting;
    }
    // One for more places than are free holds back those behind it, so that its turn comes.
    const [next] = first ?? [];
    return this.#active + (next?.places ?? 1) <= maxActive ? next : undefined;
  }

  /**
   * Waits for places.
   * @returns what gives them back
   * @throws {CommerceError} `overloaded` at once, or the reason of the signal
   */
  async enter(entry: Entry): Promise<() => void> {
    const { signal, places = 1 } = entry;
    signal?.throwIfAborted();
    if (this.#onEmpty) throw new CommerceError('overloaded', 'The server is ending.');
    const onAbort = () => this.dismiss(entry, signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const shares = [
      this.#shareOf('group', entry.group),
      this.#shareOf('caller', entry.caller),
    ] as const;
    try {
      await new Promise<void>((grant, leave) => {
        this.#line.set(entry, { grant, leave, shares });
        void this.drain();
        const full = this.#line.has(entry) && this.#refusal(entry);
        if (full) this.dismiss(entry, full);
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
    return () => {
      this.#active -= places;
      for (const share of shares) share.held -= places;
      void this.drain();
    };
  }

  /** Sends an entry away that waits. */
  dismiss(entry: Entry, reason: unknown): void {
    this.#line.get(entry)?.leave(reason);
    this.#line.delete(entry);
    void this.drain();
  }

  /** Grants places while there are any; to be called when one that might not go before may go now. */
  async drain(): Promise<void> {
    if (this.#state !== 'idle') {
      this.#state = 'again';
      return;
    }
    do {
      this.#state = 'draining';
      for (let { next } = this; next !== undefined; next = this.next) {
        const mayGo = next.mayGo?.() ?? true;
        if (!(mayGo instanceof Promise ? await mayGo : mayGo)) break;
        this.#grant(next);
      }
      this.#onBlocked();
    } while (this.#state !== 'draining');
    this.#state = 'idle';
    if (this.#active > 0 || this.#line.size > 0) return;
    this.#shares.clear();
    this.#onEmpty?.();
  }

  /** Refuses new requests, and resolves when those under way and waiting are done. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      void this.drain();
    });
  }

  #grant(entry: Entry): void {
    const waiting = this.#line.get(entry);
    // It may have left meanwhile.
    if (waiting === undefined) return;
    const { places = 1 } = entry;
    this.#turns++;
    for (const share of waiting.shares) {
      share.held += places;
      share.turn = this.#turns;
    }
    this.#active += places;
    this.#line.delete(entry);
    waiting.grant();
  }

  #shareOf(kind: 'group' | 'caller', name = ''): Share {
    const key = `${kind} ${name}`;
    const share = this.#shares.get(key) ?? { held: 0, turn: 0, isNamed: name !== '' };
    this.#shares.set(key, share);
    return share;
  }

  /** Why an entry in the line cannot wait there. */
  #refusal({ caller, group }: Entry): CommerceError | undefined {
    const { maxWaiting, maxWaitingPerCaller } = this.#bounds;
    const isCrowded = [
      caller && this.waiting.filter((it) => it.caller === caller),
      group && this.waiting.filter((it) => it.group === group),
    ].some((waiting) => waiting && waiting.length > maxWaitingPerCaller);
    const most = isCrowded ? `${maxWaitingPerCaller} requests of yours` : undefined;
    if (most === undefined && this.#line.size <= maxWaiting) return undefined;
    const text = `${most ?? `${maxWaiting} requests`} are waiting already, the most there may be`;
    return new CommerceError('overloaded', `${text}; ask again in a moment.`);
  }
}

/** By priority, then the group whose latest turn is longest ago, then the caller. */
function isBefore([a, { shares: of }]: [Waiter, Turn], [b, { shares }]: [Waiter, Turn]): boolean {
  const ahead = (a.priority ?? 0) - (b.priority ?? 0);
  if (ahead !== 0) return ahead > 0;
  return (of[0].turn - shares[0].turn || of[1].turn - shares[1].turn) < 0;
}
