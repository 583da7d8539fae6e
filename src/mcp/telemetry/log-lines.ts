/** The only file that loads pino: load it when there is a line to write. */
import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import type { Config } from '../../config.ts';
import { createLineWriter } from './stderr.ts';

/** JSON lines on stderr, or readable ones for a person at a terminal. */
export async function openLogLines(level: Config['logLevel']): Promise<Logger> {
  const lines = createLineWriter();
  if (!process.stderr.isTTY) return pino({ level, base: null }, lines);
  const { default: pretty } = await import('pino-pretty');
  const destination = new Writable({
    decodeStrings: false,
    write(line, _, done) {
      lines.write(String(line));
      done();
    },
  });
  return pino({ level, base: null }, pretty({ destination, singleLine: true }));
}
