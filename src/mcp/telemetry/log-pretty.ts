import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../../config.ts';

/** Lines for a person at a terminal. The only file that loads pino-pretty. */
export function openLogLines(level: Config['logLevel']): Logger {
  return pino({ level, base: null }, pretty({ destination: 2, sync: true, singleLine: true }));
}
