import type { ErrorCode } from '../../core/errors.ts';

/**
 * What the client did, for logs and metrics. Endpoints are templates such as
 * `GET /api/order/{id}`; no event carries a secret, a token, an id or a query value.
 */
export type ClientEvent =
  /** One request left and ended; `status` 0 when no status line arrived. */
  | {
      event: 'request';
      endpoint: string;
      status: number;
      durationMs: number;
      attempt: number;
      /** `X-Request-Id` of the answer (section 7). */
      traceId: string | undefined;
    }
  /** A failed attempt will be made again after `delayMs`. */
  | { event: 'retry'; endpoint: string; attempt: number; delayMs: number; code: ErrorCode }
  /** A request waited in the queue, for a place or for the rate budget. */
  | { event: 'wait'; endpoint: string; waitedMs: number }
  /** The key was exchanged, or could not be. */
  | { event: 'exchange'; durationMs: number; expiresInSeconds?: number; failed?: ErrorCode }
  /** The answer came from the cache, or from a request that was already under way. */
  | { event: 'shared'; endpoint: string; from: 'cache' | 'flight' };
