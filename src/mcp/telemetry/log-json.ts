import { type Logger, pino } from 'pino';
import type { Config } from '../../config.ts';
import { createLineWriter } from './stderr.ts';

/** JSON lines on stderr. The only file that loads pino: load it when there is a line to write. */
export function openLogLines(level: Config['logLevel']): Logger {
  return pino({ level, base: null }, createLineWriter());
}
