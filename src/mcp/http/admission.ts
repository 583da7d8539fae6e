/** Requests being served and requests waiting, with a bound to both, of each caller and in all. */
export interface Admission {
  /**
   * Serves a request when its places are free. They are held until the exchange is over; a request
   * whose client goes away while it waits is never served.
   * @returns the refusal, when too many wait already or the server is closing
   */
  admit(entry: AdmissionRequest): Promise<Response>;
  count(): { waiting: number; active: number; refused: number };
  /** Lets nobody in any more. Resolves when everybody is out. */
  close(): Promise<void>;
}

/** A request at the door. */
export interface AdmissionRequest {
  /** Whose it is: callers get their turns in rotation, however many requests each has waiting. */
  caller: string;
  /** Messages that it carries: each takes a place of its own. */
  places: number;
  signal: AbortSignal;
  serve(): Promise<Response>;
  /** Settles when the exchange is over. */
  over(response: Response): Promise<unknown>;
  /** What is answered to somebody who is not let in. */
  refuse(reason: string): Response;
}

/** How many exchanges may be under way, and how many requests may wait for a place. */
export interface AdmissionSettings {
  maxActive: number;
  maxWaiting: number;
  /** The part of both that one caller may take. @default 1 */
  ownShare?: number;
}

interface Waiting extends AdmissionRequest {
  start(): void;
}

/** A bounded queue before the server. */
export function createAdmission(settings: AdmissionSettings): Admission {
  const { maxActive, maxWaiting, ownShare = 1 } = settings;
  const own = {
    active: Math.max(1, Math.floor(maxActive * ownShare)),
    waiting: Math.max(1, Math.floor(maxWaiting * ownShare)),
  };
  /** Those who wait by their caller, callers in the order of their next turn. */
  const lines = new Map<string, Waiting[]>();
  const inside = new Map<string, number>();
  let active = 0;
  let waiting = 0;
  let refused = 0;
  let isClosing = false;
  let whenEmpty: (() => void) | undefined;

  function hasRoom({ caller, places }: AdmissionRequest): boolean {
    return active + places <= maxActive && (inside.get(caller) ?? 0) + places <= own.active;
  }

  function whyNot({ caller, places }: AdmissionRequest): string | undefined {
    if (isClosing) return 'The server is ending';
    if (places > own.active) return `A batch may carry ${own.active} messages at most`;
    const queued = lines.get(caller)?.length ?? 0;
    if (queued >= own.waiting)
      return `${queued} requests of yours are waiting, the most of one caller; try again in a moment`;
    if (waiting >= maxWaiting) return 'Too many requests are waiting; try again in a moment';
    return undefined;
  }

  function enter(
    entry: AdmissionRequest,
    resolve: (response: Response) => void,
    reject: (why: unknown) => void,
  ) {
    const { caller, places } = entry;
    active += places;
    inside.set(caller, (inside.get(caller) ?? 0) + places);
    const exchange = async () => {
      const response = await entry.serve();
      resolve(response);
      await entry.over(response);
    };
    exchange()
      .catch(reject)
      .finally(() => {
        active -= places;
        const left = (inside.get(caller) ?? 0) - places;
        if (left > 0) inside.set(caller, left);
        else inside.delete(caller);
        callNext();
      });
  }

  /** Whoever has room is let in, one caller after the other. */
  function callNext(): void {
    for (const [caller, line] of [...lines]) {
      const [next, ...others] = line;
      if (next === undefined || !hasRoom(next)) continue;
      lines.delete(caller);
      if (others.length > 0) lines.set(caller, others);
      waiting -= 1;
      next.start();
    }
    if (active === 0 && waiting === 0) whenEmpty?.();
  }

  function leave(caller: string, entry: Waiting): void {
    const others = (lines.get(caller) ?? []).filter((other) => other !== entry);
    if (others.length > 0) lines.set(caller, others);
    else lines.delete(caller);
    waiting -= 1;
    callNext();
  }

  return {
    async admit(entry) {
      const reason = whyNot(entry);
      if (reason !== undefined) {
        refused += 1;
        return entry.refuse(reason);
      }
      const { caller, signal } = entry;
      return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        if (!lines.has(caller) && hasRoom(entry)) return enter(entry, resolve, reject);
        const gone = () => {
          leave(caller, mine);
          reject(signal.reason);
        };
        const mine: Waiting = {
          ...entry,
          start() {
            signal.removeEventListener('abort', gone);
            enter(entry, resolve, reject);
          },
        };
        lines.set(caller, [...(lines.get(caller) ?? []), mine]);
        waiting += 1;
        signal.addEventListener('abort', gone, { once: true });
      });
    },
    count: () => ({ waiting, active, refused }),
    async close() {
      isClosing = true;
      if (active === 0 && waiting === 0) return;
      await new Promise<void>((resolve) => {
        whenEmpty = resolve;
      });
    },
  };
}
