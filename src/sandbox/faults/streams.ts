/** Bodies that come too slowly or never seem to end. */
import type { Sleep } from '../sleep.ts';

const PIECES = 16;
const HUGE_BYTES = 100 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** A text in sixteen pieces, with a pause before each. */
export function dripping(
  text: string,
  pauseMs: number,
  sleep: Sleep,
  closing: AbortSignal,
): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const size = Math.max(1, Math.ceil(bytes.length / PIECES));
  const gone = new AbortController();
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      await sleep(pauseMs, AbortSignal.any([closing, gone.signal]));
      if (gone.signal.aborted) return;
      controller.enqueue(bytes.slice(sent, sent + size));
      sent += size;
      if (sent >= bytes.length) controller.close();
    },
    cancel: () => gone.abort(),
  });
}

/** 100 MB of a JSON list whose only string does not end before. */
export function huge(): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const filler = encoder.encode('x'.repeat(CHUNK_BYTES));
  let sent = 0;
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode('{"count":1,"total":1,"data":["')),
    pull(controller) {
      if (sent < HUGE_BYTES) {
        controller.enqueue(filler);
        sent += CHUNK_BYTES;
      } else {
        controller.enqueue(encoder.encode('"]}'));
        controller.close();
      }
    },
  });
}
