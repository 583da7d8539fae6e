import { writeSync } from 'node:fs';

/** Writes a whole line, or throws. Where `isPatient`, it waits a little for a pipe that is full. */
type WriteLine = (line: string, isPatient: boolean) => void;

/** How often one tries a pipe that is full, a millisecond apart: its reader may be about to read. */
const attempts = 20;

/**
 * Writes log lines and never throws: a full disk or a closed pipe costs lines, not the server. How
 * many were lost is said before the first one that can be written again. A reader that hangs is
 * waited for once: while lines are lost, none holds up the server.
 */
export function createLineWriter(write: WriteLine = toStderr): { write(line: string): void } {
  let lost = 0;
  return {
    write(line) {
      try {
        if (lost > 0) write(sayLost(lost), false);
        lost = 0;
        write(line, true);
      } catch {
        lost += 1;
      }
    },
  };
}

function sayLost(lines: number): string {
  const facts = { level: 40, time: Date.now(), lines, msg: 'log lines could not be written' };
  return `${JSON.stringify(facts)}\n`;
}

function toStderr(line: string, isPatient: boolean): void {
  const bytes = Buffer.from(line);
  let written = 0;
  for (let attempt = 0; written < bytes.length; ) {
    try {
      written += writeSync(2, bytes, written);
    } catch (error) {
      const isFull = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
      attempt += 1;
      if (!isFull || !isPatient || attempt > attempts) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
