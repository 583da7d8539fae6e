import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../../config.ts';
import { createLineWriter } from './stderr.ts';

/** Lines for a person at a terminal. The only file that loads pino-pretty. */
export function openLogLines(level: Config['logLevel']): Logger {
  const lines = createLineWriter();
  const destination = new Writable({
    decodeStrings: false,
    write(line, _, done) {
      lines.write(String(line));
      done();
    },
  });
  return pino({ level, base: null }, pretty({ destination, singleLine: true }));
}
