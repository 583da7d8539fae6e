import { onAbort } from './deadline.ts';
import { CommerceError } from './errors.ts';
import { type MessageOfRoom, messagesOf } from './message.ts';

interface Refused {
  /** The request that was to wait. */
  endpoint?: string | undefined;
}

export const queueMessages = messagesOf({
  too_many_waiting: ({
    endpoint,
    max,
    isOfCaller,
  }: Refused & { max: number; isOfCaller: boolean }) =>
    `${prefixOf(endpoint)}${max} requests${isOfCaller ? ' of yours' : ''} are waiting already, the most there may be; ask again in a moment.`,
  server_ending: ({ endpoint }: Refused) => `${prefixOf(endpoint)}The server is ending.`,
});

export type QueueMessage = MessageOfRoom<typeof queueMessages>;

function prefixOf(endpoint: string | undefined): string {
  return endpoint === undefined ? '' : `${endpoint}: `;
}

/** A request that waits for its turn. */
export interface Waiter {
  /** Callers take turns. All that give no name share one turn. */
  readonly caller?: string | undefined;
  /** Groups take turns first, then the callers within each. A group has the bounds of one caller. */
  readonly group?: string | undefined;
  /** The request that a refusal names. */
  readonly endpoint?: string | undefined;
  /** Higher goes first; may change while it waits. @default 0 */
  readonly priority?: number;
  /** Gives up waiting; without effect once the places are granted. */
  readonly signal?: AbortSignal | undefined;
  /** Whether others go first for now. @default false */
  standsAside?(): boolean;
  /** Asked when its turn has come; while it is false, nobody goes. @default true */
  mayGo?(): boolean | Promise<boolean>;
}

/** Bounds for all together, and for each caller that has a name. */
export interface FairQueueBounds {
  maxActive: number;
  maxWaiting: number;
  /** @default all places but one, which is left for others */
  maxActivePerCaller?: number;
  /** @default three quarters */
  maxWaitingPerCaller?: number;
}

interface Usage {
  activePlaces: number;
  /** The number of its latest grant; 0 before the first. */
  lastGrant: number;
  /** Without a name, only the bounds of the whole queue count. */
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
 * Grants places by priority, then by rotation of groups and of their callers, then by arrival.
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
  /** By group and caller; emptied when the queue is. */
  readonly #usages = new Map<string, Usage>();
  #active = 0;
  #grants = 0;
  #isGranting = false;
  #grantAgain = false;
  #onEmpty: (() => void) | undefined;

  /** @param onBlocked called when nobody else may go for now */
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

  isWaiting(entry: Entry): boolean {
    return this.#tickets.has(entry);
  }

  /** The entry whose turn it is, if there is a place for it. */
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
   * Waits for a place.
   * @param overloaded makes the error for a full queue. @default a {@link CommerceError}
   * @returns gives the place back
   * @throws the error for a full queue at once, or the reason of the signal
   */
  async enter(entry: Entry, overloaded = tooManyWait): Promise<() => void> {
    const { signal } = entry;
    signal?.throwIfAborted();
    if (this.#onEmpty) throw overloaded(queueMessages.server_ending({ endpoint: entry.endpoint }));
    const group = this.#usageOf('group', entry.group);
    const caller = this.#usageOf('caller', entry.caller);
    let leave = () => {};
    await new Promise<void>((grant, reject) => {
      this.#tickets.set(entry, { entry, group, caller, grant, reject });
      void this.grant();
      // Most are granted at once.
      if (!this.isWaiting(entry)) return;
      const refusal = this.#refusal(entry);
      if (refusal) this.dismiss(entry, overloaded(refusal));
      else if (signal) leave = onAbort(signal, () => this.dismiss(entry, signal.reason));
    }).finally(() => leave());
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

  /** Grants places while there are any. Call it when `mayGo` or `standsAside` of an entry may have changed. */
  async grant(): Promise<void> {
    this.#grantAgain = true;
    if (this.#isGranting) return;
    this.#isGranting = true;
    while (this.#grantAgain) {
      this.#grantAgain = false;
      for (let { next } = this; next !== undefined; next = this.next) {
        const mayGo = next.mayGo?.() ?? true;
        if (!(typeof mayGo === 'boolean' ? mayGo : await mayGo)) break;
        this.#admit(next);
      }
      this.#onBlocked();
    }
    this.#isGranting = false;
    if (this.#active > 0 || this.#tickets.size > 0) return;
    this.#usages.clear();
    this.#onEmpty?.();
  }

  /** Refuses new entries, and resolves when all others have left. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      void this.grant();
    });
  }

  #admit(entry: Entry): void {
    const ticket = this.#tickets.get(entry);
    // It may have been dismissed while `mayGo` was awaited.
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
    if (this.#tickets.size <= Math.min(maxWaiting, maxWaitingPerCaller)) return undefined;
    const isCrowded = [
      caller && this.waiting.filter((waiter) => waiter.caller === caller),
      group && this.waiting.filter((waiter) => waiter.group === group),
    ].some((waiting) => waiting && waiting.length > maxWaitingPerCaller);
    if (!isCrowded && this.#tickets.size <= maxWaiting) return undefined;
    const max = isCrowded ? maxWaitingPerCaller : maxWaiting;
    return queueMessages.too_many_waiting({ endpoint, max, isOfCaller: isCrowded });
  }
}

function tooManyWait(reason: QueueMessage): Error {
  return new CommerceError('overloaded', reason);
}

/** Negative where `a` goes first: by priority, then by the oldest latest grant of groups, then of callers. */
function compareTurn(a: Ticket<Waiter>, b: Ticket<Waiter>): number {
  return (
    (b.entry.priority ?? 0) - (a.entry.priority ?? 0) ||
    a.group.lastGrant - b.group.lastGrant ||
    a.caller.lastGrant - b.caller.lastGrant
  );
}
