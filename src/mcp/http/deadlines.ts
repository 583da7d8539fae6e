import type { ServerResponse } from 'node:http';

/** Longest that a body may take to arrive, and an answer may lie without the client taking any of it. */
export interface Deadlines {
  bodyMs: number;
  unreadMs: number;
}

/**
 * Hangs up on a client that does not read: its answer, and the place that it holds, would stay for
 * ever. Waiting for an answer, and for news, is something else: then there is nothing to read.
 */
export function hangUpOnUnread(outgoing: ServerResponse, unreadMs: number): void {
  const { socket } = outgoing;
  if (socket === null) return;
  let seen = '';
  let rounds = 0;
  const timer = setInterval(() => {
    const { writableLength, bytesWritten } = socket;
    const now = writableLength === 0 ? '' : `${bytesWritten} ${writableLength}`;
    rounds = now !== '' && now === seen ? rounds + 1 : 0;
    seen = now;
    if (rounds >= looks) socket.destroy();
  }, unreadMs / looks).unref();
  outgoing.once('close', () => clearInterval(timer));
}

/** How often one looks within the deadline. */
const looks = 4;

/** Part of a body that leaves at once: what a slow client has taken shows after each. */
const sliceBytes = 65_536;

/** The same response in slices, where it is long. */
export function inSlices(response: Response): Response {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  const slices = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        for (let at = 0; at < part.length; at += sliceBytes)
          controller.enqueue(part.subarray(at, at + sliceBytes));
      },
    }),
  );
  return new Response(slices, { status, statusText, headers });
}
