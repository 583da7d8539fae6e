/** What waits for its turn. */
export interface Waiter {
  /** Callers get their turns in rotation. Without a name they are not told apart. */
  readonly caller?: string | undefined;
  /** How many it needs. @default 1 */
  readonly places?: number;
  /** Higher goes first; may change while it waits. @default 0 */
  readonly priority?: number;
  /** Gives up waiting; without effect once the places are granted. */
  readonly signal?: AbortSignal | undefined;
}

export interface FairQueueOptions {
  /** Places: how much may be under way at once. */
  maxActive: number;
  /** Most that may wait, of all callers together. */
  maxWaiting: number;
  /** Most places of one caller. Where others may come, all but one or fewer. @default maxActive */
  maxActivePerCaller?: number;
  /** Most that may wait of one caller. @default maxWaiting */
  maxWaitingPerCaller?: number;
}

/** What else has to agree before the entry whose turn it is gets its places. */
export interface TurnGate<Entry extends Waiter> {
  /** Whether it may go now; the next one waits behind it. */
  mayGo(entry: Entry): boolean | Promise<boolean>;
  /** Called when nobody else may go for now. */
  onStill?(): void;
}

/** Why a queue refuses a request at once. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  readonly code = 'queue_full';
  /**
   * `all`: too many wait. `caller`: too many of this caller wait. `places`: more places than one
   * caller may ever have. `closed`: the queue has closed.
   */
  readonly reason: 'all' | 'caller' | 'places' | 'closed';
  /** The bound that was reached; 0 once the queue has closed. */
  readonly limit: number;

  constructor(reason: QueueFullError['reason'], limit: number) {
    super(`queue full: ${reason} (${limit})`);
    this.reason = reason;
    this.limit = limit;
  }
}

/**
 * Places that are granted in fair order, by priority, then callers in rotation, then arrival, with
 * bounds on how many wait.
 * @example
 * const queue = new FairQueue({ maxActive: 2, maxWaiting: 32, maxActivePerCaller: 1 });
 * const release = await queue.enter({ caller: 'ann', signal });
 * try { await work(); } finally { release(); }
 */
export class FairQueue<Entry extends Waiter = Waiter> {
  readonly #bounds: Required<FairQueueOptions>;
  readonly #gate: TurnGate<Entry>;
  /** In order of arrival, with what grants their places or sends them away. */
  readonly #line = new Map<Entry, { grant(): void; leave(reason: unknown): void }>();
  /** Callers with something waiting or under way: the places of each, and its latest turn. */
  readonly #callers = new Map<string, { held: number; turn: number }>();
  #active = 0;
  #turns = 0;
  #looking: 'no' | 'yes' | 'again' = 'no';
  #onEmpty: (() => void) | undefined;

  constructor(
    { maxActive, maxWaiting, ...own }: FairQueueOptions,
    gate: TurnGate<Entry> = { mayGo: () => true },
  ) {
    const { maxActivePerCaller = maxActive, maxWaitingPerCaller = maxWaiting } = own;
    this.#bounds = { maxActive, maxWaiting, maxActivePerCaller, maxWaitingPerCaller };
    this.#gate = gate;
  }

  /** Places in use. */
  get active(): number {
    return this.#active;
  }

  /** Those that wait, in order of arrival. */
  get waiting(): Entry[] {
    return [...this.#line.keys()];
  }

  isWaiting(entry: Entry): boolean {
    return this.#line.has(entry);
  }

  /** The entry that is to go next, where there are places for it. */
  get next(): Entry | undefined {
    const { maxActive, maxActivePerCaller } = this.#bounds;
    const mayHold = ({ caller, places = 1 }: Entry) =>
      !caller || this.#of(caller).held + places <= maxActivePerCaller;
    let first: Entry | undefined;
    for (const entry of this.#line.keys()) {
      if (mayHold(entry) && (!first || this.#isBefore(entry, first))) first = entry;
    }
    // One for more places than are free holds back those behind it, so that its turn comes.
    return first && this.#active + (first.places ?? 1) <= maxActive ? first : undefined;
  }

  /**
   * Waits for places.
   * @returns what gives them back; a second call does nothing
   * @throws {QueueFullError} at once, or the reason of the signal
   */
  async enter(entry: Entry): Promise<() => void> {
    const { signal, places = 1 } = entry;
    signal?.throwIfAborted();
    if (this.#onEmpty) throw new QueueFullError('closed', 0);
    const { maxActivePerCaller } = this.#bounds;
    if (places > maxActivePerCaller) throw new QueueFullError('places', maxActivePerCaller);
    return new Promise((resolve, reject) => {
      const onAbort = () => this.dismiss(entry, signal?.reason);
      const out = () => {
        signal?.removeEventListener('abort', onAbort);
        this.#line.delete(entry);
      };
      const grant = () => {
        out();
        resolve(this.#hold(entry));
      };
      const leave = (reason: unknown) => {
        out();
        reject(reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#line.set(entry, { grant, leave });
      void this.look();
      const full = this.#line.has(entry) && this.#refusal(entry);
      if (full) this.dismiss(entry, full);
    });
  }

  /** Sends an entry away that waits. */
  dismiss(entry: Entry, reason: unknown): void {
    this.#line.get(entry)?.leave(reason);
    void this.look();
  }

  /** Grants places while there are any; to be called when the gate may have opened. */
  async look(): Promise<void> {
    if (this.#looking !== 'no') {
      this.#looking = 'again';
      return;
    }
    do {
      this.#looking = 'yes';
      for (let { next } = this; next !== undefined; next = this.next) {
        const mayGo = this.#gate.mayGo(next);
        if (!(mayGo instanceof Promise ? await mayGo : mayGo)) break;
        this.#line.get(next)?.grant();
      }
      this.#gate.onStill?.();
    } while (this.#looking !== 'yes');
    this.#looking = 'no';
    if (this.#active === 0 && this.#line.size === 0) this.#onEmpty?.();
  }

  /** Refuses new requests, and resolves when those under way and waiting are done. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      void this.look();
    });
  }

  #hold({ caller = '', places = 1 }: Entry): () => void {
    this.#active += places;
    this.#callers.set(caller, { held: this.#of(caller).held + places, turn: ++this.#turns });
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#active -= places;
      const own = this.#of(caller);
      own.held -= places;
      const isGone = own.held === 0 && !this.waiting.some((it) => (it.caller ?? '') === caller);
      if (isGone) this.#callers.delete(caller);
      void this.look();
    };
  }

  #refusal({ caller }: Entry): QueueFullError | undefined {
    const { maxWaiting, maxWaitingPerCaller } = this.#bounds;
    const own = caller ? this.waiting.filter((it) => it.caller === caller).length : 0;
    if (own > maxWaitingPerCaller) return new QueueFullError('caller', maxWaitingPerCaller);
    return this.#line.size > maxWaiting ? new QueueFullError('all', maxWaiting) : undefined;
  }

  #of(caller = ''): { held: number; turn: number } {
    return this.#callers.get(caller) ?? { held: 0, turn: 0 };
  }

  #isBefore(a: Entry, b: Entry): boolean {
    const ahead = (a.priority ?? 0) - (b.priority ?? 0);
    return ahead > 0 || (ahead === 0 && this.#of(a.caller).turn < this.#of(b.caller).turn);
  }
}
