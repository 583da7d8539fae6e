import { CommerceError } from './errors.ts';

/** What waits for its turn. */
export interface Waiter {
  /** Callers get their turns in rotation. Without a name they count as one. */
  readonly caller?: string | undefined;
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
  /** Where others may come, all but one or fewer. */
  maxActivePerCaller: number;
  maxWaitingPerCaller: number;
}

/**
 * Places that are granted in fair order, by priority, then callers in rotation, then arrival, with
 * bounds on how many wait.
 * @example
 * const queue = new FairQueue({ maxActive: 2, maxWaiting: 32, maxActivePerCaller: 1, maxWaitingPerCaller: 24 });
 * const release = await queue.enter({ caller: 'ann', signal });
 * try { await work(); } finally { release(); }
 */
export class FairQueue<Entry extends Waiter = Waiter> {
  readonly #bounds: FairQueueBounds;
  readonly #onStill: () => void;
  /** In order of arrival, with what grants their places or sends them away. */
  readonly #line = new Map<Entry, { grant(): void; leave(reason: unknown): void }>();
  /** The places that each caller has, and which turn was its latest; forgotten when all have left. */
  readonly #callers = new Map<string, { held: number; turn: number }>();
  #active = 0;
  #turns = 0;
  #looking: 'no' | 'yes' | 'again' = 'no';
  #onEmpty: (() => void) | undefined;

  /** @param onStill called when no other may go for now */
  constructor(bounds: FairQueueBounds, onStill = () => {}) {
    this.#bounds = bounds;
    this.#onStill = onStill;
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
    let first: Entry | undefined;
    for (const entry of this.#line.keys()) {
      const { caller, places = 1 } = entry;
      const mayHold = !caller || this.#of(entry).held + places <= maxActivePerCaller;
      if (mayHold && (!first || this.#isBefore(entry, first))) first = entry;
    }
    // One for more places than are free holds back those behind it, so that its turn comes.
    return first && this.#active + (first.places ?? 1) <= maxActive ? first : undefined;
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
    try {
      await new Promise<void>((grant, leave) => {
        this.#line.set(entry, { grant, leave });
        void this.look();
        const full = this.#line.has(entry) && this.#refusal(entry);
        if (full) this.dismiss(entry, full);
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
    return () => {
      this.#active -= places;
      this.#of(entry).held -= places;
      void this.look();
    };
  }

  /** Sends an entry away that waits. */
  dismiss(entry: Entry, reason: unknown): void {
    this.#line.get(entry)?.leave(reason);
    this.#line.delete(entry);
    void this.look();
  }

  /** Grants places while there are any; to be called when one that might not go before may go now. */
  async look(): Promise<void> {
    if (this.#looking !== 'no') {
      this.#looking = 'again';
      return;
    }
    do {
      this.#looking = 'yes';
      for (let { next } = this; next !== undefined; next = this.next) {
        const mayGo = next.mayGo?.() ?? true;
        if (!(mayGo instanceof Promise ? await mayGo : mayGo)) break;
        this.#grant(next);
      }
      this.#onStill();
    } while (this.#looking !== 'yes');
    this.#looking = 'no';
    if (this.#active > 0 || this.#line.size > 0) return;
    this.#callers.clear();
    this.#onEmpty?.();
  }

  /** Refuses new requests, and resolves when those under way and waiting are done. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      void this.look();
    });
  }

  #grant(entry: Entry): void {
    const waiting = this.#line.get(entry);
    // It may have left meanwhile.
    if (waiting === undefined) return;
    const { places = 1 } = entry;
    const own = this.#of(entry);
    own.held += places;
    own.turn = ++this.#turns;
    this.#active += places;
    this.#line.delete(entry);
    waiting.grant();
  }

  #of({ caller = '' }: Entry): { held: number; turn: number } {
    const own = this.#callers.get(caller) ?? { held: 0, turn: 0 };
    this.#callers.set(caller, own);
    return own;
  }

  /** Why an entry in the line cannot wait there. */
  #refusal({ caller }: Entry): CommerceError | undefined {
    const { maxWaiting, maxWaitingPerCaller } = this.#bounds;
    const own = caller ? this.waiting.filter((it) => it.caller === caller).length : 0;
    const most = own > maxWaitingPerCaller ? `${maxWaitingPerCaller} requests of yours` : undefined;
    if (most === undefined && this.#line.size <= maxWaiting) return undefined;
    const text = `${most ?? `${maxWaiting} requests`} are waiting already, the most there may be`;
    return new CommerceError('overloaded', `${text}; ask again in a moment.`);
  }

  #isBefore(a: Entry, b: Entry): boolean {
    const ahead = (a.priority ?? 0) - (b.priority ?? 0);
    return ahead > 0 || (ahead === 0 && this.#of(a).turn < this.#of(b).turn);
  }
}
