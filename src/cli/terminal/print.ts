import type { Writable } from 'node:stream';

/**
 * Writes an answer piece by piece, each when the one before has left. A reader who has seen enough
 * (`| head`) ends it quietly.
 *
 * @throws {Error} when it cannot be written, such as to a full disk.
 */
export async function print(
  pieces: Iterable<string>,
  stream: Pick<Writable, 'write' | 'on'> = process.stdout,
): Promise<void> {
  // The callback of each piece tells the same; unheard, the event would end the process.
  const unheard = () => {};
  stream.on('error', unheard);
  try {
    for (const piece of pieces) await write(stream, piece);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The answer could not be written: ${reason}`, { cause: error });
  }
}

function write(stream: Pick<Writable, 'write'>, piece: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}
