/** Order and bounds for work that has to wait: by priority, then callers in rotation. */

/** What orders a waiting entry. */
export interface Waiter {
  caller: string;
  /** Higher goes first; may change while it waits. */
  priority: number;
}

/** Entries in the order of their turns: priority, then callers in rotation, then arrival. */
export class WaitingLine<Entry extends Waiter> implements Iterable<Entry> {
  readonly #entries = new Set<Entry>();
  /** Each waiting caller's place in the rotation, and how many entries it has. */
  readonly #callers = new Map<string, { turn: number; count: number }>();
  #lastTurn = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** In order of arrival. */
  [Symbol.iterator](): Iterator<Entry> {
    return this.#entries.values();
  }

  has(entry: Entry): boolean {
    return this.#entries.has(entry);
  }

  /** How many entries of one caller wait. */
  countOf(caller: string): number {
    return this.#callers.get(caller)?.count ?? 0;
  }

  add(entry: Entry): void {
    this.#entries.add(entry);
    const { turn, count } = this.#callers.get(entry.caller) ?? { turn: ++this.#lastTurn, count: 0 };
    this.#callers.set(entry.caller, { turn, count: count + 1 });
  }

  /** The entry whose turn it is, among those that may go; it stays in the line. */
  next(mayGo: (entry: Entry) => boolean = () => true): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#entries) {
      if (mayGo(entry) && (first === undefined || this.#isBefore(entry, first))) first = entry;
    }
    return first;
  }

  /** Takes an entry out for its turn: its caller goes to the end of the rotation. */
  take(entry: Entry): void {
    if (!this.remove(entry)) return;
    const caller = this.#callers.get(entry.caller);
    if (caller) caller.turn = ++this.#lastTurn;
  }

  /** Takes an entry out that gives up. @returns whether it was waiting */
  remove(entry: Entry): boolean {
    if (!this.#entries.delete(entry)) return false;
    const caller = this.#callers.get(entry.caller);
    if (caller && --caller.count === 0) this.#callers.delete(entry.caller);
    return true;
  }

  #isBefore(a: Entry, b: Entry): boolean {
    if (a.priority !== b.priority) return a.priority > b.priority;
    return this.#turnOf(a) < this.#turnOf(b);
  }

  #turnOf({ caller }: Entry): number {
    return this.#callers.get(caller)?.turn ?? 0;
  }
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

/** A request for one or more places. */
export interface PlaceRequest {
  /** Callers get their turns in rotation. @default one caller */
  caller?: string;
  /** @default 1 */
  places?: number;
  /** Higher goes first. @default 0 */
  priority?: number;
  /** Gives up waiting; without effect once the places are granted. */
  signal?: AbortSignal;
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

interface Waiting extends Waiter {
  places: number;
  grant(): void;
}

/**
 * Places that are granted in fair order, with bounds on how many wait.
 * @example
 * const queue = new FairQueue({ maxActive: 2, maxWaiting: 32, maxActivePerCaller: 1 });
 * const release = await queue.enter({ caller: 'ann', signal });
 * try { await work(); } finally { release(); }
 */
export class FairQueue {
  readonly #bounds: Required<FairQueueOptions>;
  readonly #line = new WaitingLine<Waiting>();
  readonly #held = new Map<string, number>();
  #active = 0;
  #isClosed = false;
  #onEmpty: (() => void)[] = [];

  constructor({ maxActive, maxWaiting, ...own }: FairQueueOptions) {
    const { maxActivePerCaller = maxActive, maxWaitingPerCaller = maxWaiting } = own;
    this.#bounds = { maxActive, maxWaiting, maxActivePerCaller, maxWaitingPerCaller };
  }

  /** Places in use. */
  get active(): number {
    return this.#active;
  }

  /** Requests that wait. */
  get waiting(): number {
    return this.#line.size;
  }

  /**
   * Waits for places.
   * @returns what gives them back; a second call does nothing
   * @throws {QueueFullError} at once, or the reason of the signal
   */
  async enter(request: PlaceRequest = {}): Promise<() => void> {
    const { caller = '', places = 1, priority = 0, signal } = request;
    signal?.throwIfAborted();
    if (this.#isClosed) throw new QueueFullError('closed', 0);
    const { maxActivePerCaller } = this.#bounds;
    if (places > maxActivePerCaller) throw new QueueFullError('places', maxActivePerCaller);
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown) => {
        this.#line.remove(entry);
        reject(reason);
        this.#grantNext();
      };
      const onAbort = () => leave(signal?.reason);
      const grant = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve(this.#hold(caller, places));
      };
      const entry: Waiting = { caller, priority, places, grant };
      this.#line.add(entry);
      this.#grantNext();
      if (!this.#line.has(entry)) return;
      const full = this.#refusal(caller);
      if (full) leave(full);
      else signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Refuses new requests, and resolves when those under way and waiting are done. */
  close(): Promise<void> {
    this.#isClosed = true;
    return new Promise((resolve) => {
      this.#onEmpty.push(resolve);
      this.#announceEmpty();
    });
  }

  #hold(caller: string, places: number): () => void {
    this.#active += places;
    this.#held.set(caller, this.#heldBy(caller) + places);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#active -= places;
      const left = this.#heldBy(caller) - places;
      if (left > 0) this.#held.set(caller, left);
      else this.#held.delete(caller);
      this.#grantNext();
      this.#announceEmpty();
    };
  }

  #refusal(caller: string): QueueFullError | undefined {
    const { maxWaiting, maxWaitingPerCaller } = this.#bounds;
    if (this.#line.countOf(caller) > maxWaitingPerCaller) {
      return new QueueFullError('caller', maxWaitingPerCaller);
    }
    return this.#line.size > maxWaiting ? new QueueFullError('all', maxWaiting) : undefined;
  }

  #heldBy(caller: string): number {
    return this.#held.get(caller) ?? 0;
  }

  /** A request for more places than are free holds back those behind it, so that its turn comes. */
  #grantNext(): void {
    const { maxActive, maxActivePerCaller } = this.#bounds;
    for (;;) {
      const next = this.#line.next(
        ({ caller, places }) => this.#heldBy(caller) + places <= maxActivePerCaller,
      );
      if (next === undefined || this.#active + next.places > maxActive) return;
      this.#line.take(next);
      next.grant();
    }
  }

  #announceEmpty(): void {
    if (this.#active > 0 || this.#line.size > 0) return;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }
}
