import { onAbort } from './deadline.ts';
import { CommerceError } from './errors.ts';
import { type MessageOfRoom, messagesOf } from './message.ts';

/** `endpoint`: the request that was to wait. */
export const queueMessages = messagesOf({
  too_many_waiting: (it: { endpoint?: string | undefined; max: number; isOfCaller: boolean }) =>
    `${at(it)}${it.max} requests${it.isOfCaller ? ' of yours' : ''} are waiting already, the most there may be; ask again in a moment.`,
  server_ending: (it: { endpoint?: string | undefined }) => `${at(it)}The server is ending.`,
});

/** Why one may not wait. */
export type QueueMessage = MessageOfRoom<typeof queueMessages>;

function at({ endpoint }: { endpoint?: string | undefined }): string {
  return endpoint === undefined ? '' : `${endpoint}: `;
}

/** A request that waits for its turn. */
export interface Waiter {
  /** Callers get their turns in rotation. Without a name they count as one. */
  readonly caller?: string | undefined;
  /** Groups of callers get their turns in rotation, and within one its callers; it has the bounds of a caller. */
  readonly group?: string | undefined;
  /** The request that a refusal names. */
  readonly endpoint?: string | undefined;
  /** Higher goes first; may change while it waits. @default 0 */
  readonly priority?: number;
  /** Gives up waiting; without effect once the places are granted. */
  readonly signal?: AbortSignal | undefined;
  /** Whether it lets others go before it for now, though there are places. @default false */
  standsAside?(): boolean;
  /** Whether it may go, now that its turn has come; the next one waits behind it. @default true */
  mayGo?(): Promise<boolean>;
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

interface Usage {
  activePlaces: number;
  /** The number of its latest grant; 0 before the first. */
  lastGrant: number;
  /** Requests without a name are bounded only as the whole is. */
  readonly isNamed: boolean;
}

interface Ticket<Entry> {
  entry: Entry;
  group: Usage;
  caller: Usage;
  grant(): void;
  reject(reason: unknown): void;
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
  readonly #tickets = new Map<Entry, Ticket<Entry>>();
  /** Counts by group and caller; an entry goes when all have left. */
  readonly #usages = new Map<string, Usage>();
  #active = 0;
  #grants = 0;
  #isGranting = false;
  #grantAgain = false;
  #onEmpty: (() => void) | undefined;

  /** @param onBlocked called when no other may go for now */
  constructor(bounds: FairQueueBounds, onBlocked = () => {}) {
    const { maxActive, maxWaiting } = bounds;
    const maxActivePerCaller = Math.max(1, maxActive - 1);
    const maxWaitingPerCaller = Math.ceil(maxWaiting * 0.75);
    this.#bounds = { maxActivePerCaller, maxWaitingPerCaller, ...bounds };
    this.#onBlocked = onBlocked;
  }

  get active(): number {
    return this.#active;
  }

  get waiting(): Entry[] {
    return [...this.#tickets.keys()];
  }

  /** The entry that is to go next, where there are places for it. */
  get next(): Entry | undefined {
    const { maxActive, maxActivePerCaller } = this.#bounds;
    if (this.#active >= maxActive) return undefined;
    let first: Ticket<Entry> | undefined;
    for (const ticket of this.#tickets.values()) {
      const { group, caller } = ticket;
      const isFull = ({ isNamed, activePlaces }: Usage) =>
        isNamed && activePlaces >= maxActivePerCaller;
      if (isFull(group) || isFull(caller)) continue;
      if (first && compareTurn(ticket, first) >= 0) continue;
      if (!ticket.entry.standsAside?.()) first = ticket;
    }
    return first?.entry;
  }

  /**
   * Waits for places.
   * @param overloaded the error that says that too many wait
   * @returns what gives them back
   * @throws that error at once, {@link CommerceError} by default, or the reason of the signal
   */
  async enter(entry: Entry, overloaded = tooManyWait): Promise<() => void> {
    const { signal } = entry;
    signal?.throwIfAborted();
    if (this.#onEmpty) throw overloaded(queueMessages.server_ending({ endpoint: entry.endpoint }));
    const leave = signal && onAbort(signal, () => this.dismiss(entry, signal.reason));
    const group = this.#usageOf('group', entry.group);
    const caller = this.#usageOf('caller', entry.caller);
    try {
      await new Promise<void>((grant, reject) => {
        this.#tickets.set(entry, { entry, group, caller, grant, reject });
        void this.grant();
        const refusal = this.#tickets.has(entry) && this.#refusal(entry);
        if (refusal) this.dismiss(entry, overloaded(refusal));
      });
    } finally {
      leave?.();
    }
    return () => {
      this.#active--;
      group.activePlaces--;
      caller.activePlaces--;
      void this.grant();
    };
  }

  dismiss(entry: Entry, reason: unknown): void {
    this.#tickets.get(entry)?.reject(reason);
    this.#tickets.delete(entry);
    void this.grant();
  }

  /** Grants places while there are any; to be called when one that might not go before may go now. */
  async grant(): Promise<void> {
    this.#grantAgain = true;
    if (this.#isGranting) return;
    this.#isGranting = true;
    while (this.#grantAgain) {
      this.#grantAgain = false;
      for (let { next } = this; next !== undefined; next = this.next) {
        if (next.mayGo && !(await next.mayGo())) break;
        this.#admit(next);
      }
      this.#onBlocked();
    }
    this.#isGranting = false;
    if (this.#active > 0 || this.#tickets.size > 0) return;
    this.#usages.clear();
    this.#onEmpty?.();
  }

  /** Refuses new requests, and resolves when those under way and waiting are done. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      void this.grant();
    });
  }

  #admit(entry: Entry): void {
    const ticket = this.#tickets.get(entry);
    // It may have left meanwhile.
    if (ticket === undefined) return;
    this.#grants++;
    for (const usage of [ticket.group, ticket.caller]) {
      usage.activePlaces++;
      usage.lastGrant = this.#grants;
    }
    this.#active++;
    this.#tickets.delete(entry);
    ticket.grant();
  }

  #usageOf(kind: 'group' | 'caller', name = ''): Usage {
    const key = `${kind} ${name}`;
    const usage = this.#usages.get(key) ?? { activePlaces: 0, lastGrant: 0, isNamed: name !== '' };
    this.#usages.set(key, usage);
    return usage;
  }

  #refusal({ caller, group, endpoint }: Entry): QueueMessage | undefined {
    const { maxWaiting, maxWaitingPerCaller } = this.#bounds;
    const isCrowded = [
      caller && this.waiting.filter((it) => it.caller === caller),
      group && this.waiting.filter((it) => it.group === group),
    ].some((waiting) => waiting && waiting.length > maxWaitingPerCaller);
    if (!isCrowded && this.#tickets.size <= maxWaiting) return undefined;
    const max = isCrowded ? maxWaitingPerCaller : maxWaiting;
    return queueMessages.too_many_waiting({ endpoint, max, isOfCaller: isCrowded });
  }
}

function tooManyWait(reason: QueueMessage): Error {
  return new CommerceError('overloaded', reason);
}

/** Negative where `a` goes first: by priority, then the group whose latest grant is longest ago, then the caller. */
function compareTurn(a: Ticket<Waiter>, b: Ticket<Waiter>): number {
  return (
    (b.entry.priority ?? 0) - (a.entry.priority ?? 0) ||
    a.group.lastGrant - b.group.lastGrant ||
    a.caller.lastGrant - b.caller.lastGrant
  );
}
