/** Calls under way that their client may cancel with a message of its own. */
export interface Cancellations {
  /** A signal that fires when the call is cancelled; `done` must be called when it is over. */
  begin(call: CallKey): { signal: AbortSignal; done(): void };
  cancel(call: CallKey): void;
}

/** What tells one call from all others. */
export interface CallKey {
  /** Id of the caller, so that nobody cancels for somebody else. */
  caller: string;
  /** The `Mcp-Session-Id` that the client was given. */
  session: string;
  /** JSON-RPC id of the call, which clients count from zero each. */
  request: string | number;
}

/**
 * Revisions before 2026-07-28 cancel with a notification, which arrives as a request of its own: the
 * session it names leads to the call. Since then closing the stream is what cancels.
 */
export function createCancellations(): Cancellations {
  const underWay = new Map<string, AbortController>();

  return {
    begin(call) {
      const key = keyOf(call);
      const controller = new AbortController();
      underWay.set(key, controller);
      return {
        signal: controller.signal,
        done() {
          if (underWay.get(key) === controller) underWay.delete(key);
        },
      };
    },
    cancel: (call) => underWay.get(keyOf(call))?.abort(),
  };
}

function keyOf({ caller, session, request }: CallKey): string {
  return JSON.stringify([caller, session, request]);
}
