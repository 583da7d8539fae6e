import PQueue from 'p-queue';

/** Requests being served and requests waiting, with a bound to both. */
export interface Admission {
  /**
   * Serves a request when a place is free. The place is held until the exchange is over; a request
   * whose client goes away while it waits is never served.
   * @param over settles when the exchange is over
   * @returns undefined when too many wait already, or the server is closing
   */
  admit(
    signal: AbortSignal,
    serve: () => Promise<Response>,
    over: (response: Response) => Promise<unknown>,
  ): Promise<Response | undefined>;
  count(): { waiting: number; active: number; refused: number };
  /** Lets nobody in any more. Resolves when everybody is out. */
  close(): Promise<void>;
}

/** How many exchanges may be under way, and how many requests may wait for a place. */
export interface AdmissionSettings {
  maxActive: number;
  maxWaiting: number;
}

/** A bounded queue before the server. */
export function createAdmission({ maxActive, maxWaiting }: AdmissionSettings): Admission {
  const queue = new PQueue({ concurrency: maxActive });
  let refused = 0;
  let isClosing = false;

  return {
    async admit(signal, serve, over) {
      if (isClosing || queue.size >= maxWaiting) {
        refused++;
        return undefined;
      }
      return new Promise((resolve, reject) => {
        const exchange = async () => {
          const response = await serve();
          resolve(response);
          await over(response);
        };
        queue.add(exchange, { signal }).catch(reject);
      });
    },
    count: () => ({ waiting: queue.size, active: queue.pending, refused }),
    async close() {
      isClosing = true;
      await queue.onIdle();
    },
  };
}
