import type { Logger } from 'pino';
import type { Config } from '../../config.ts';

/** Where the server writes what happens: stderr, never stdout. */
export interface Log {
  debug(facts: Record<string, unknown>, message: string): void;
  info(facts: Record<string, unknown>, message: string): void;
  warn(facts: Record<string, unknown>, message: string): void;
  error(facts: Record<string, unknown>, message: string): void;
  /** Whether lines of this level are written at all. */
  writes(level: Level): boolean;
}

type Level = 'debug' | 'info' | 'warn' | 'error';

const ranks: Record<Config['logLevel'], number> = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Number.POSITIVE_INFINITY,
};

/**
 * A log of JSON lines on stderr, or of readable ones where stderr is a terminal. The library behind
 * it is loaded with the first line that is written: most sessions write none, and none should wait
 * for it.
 */
export function createLog(level: Config['logLevel']): Log {
  let logger: Promise<Logger> | undefined;
  const writes = (at: Level): boolean => ranks[at] >= ranks[level];
  const write = (at: Level, facts: Record<string, unknown>, message: string): void => {
    if (!writes(at)) return;
    logger ??= import('./log-lines.ts').then(({ openLogLines }) => openLogLines(level));
    logger.then(
      (ready) => ready[at](facts, message),
      () => {
        // Without its log the server still serves.
      },
    );
  };
  return {
    debug: (facts, message) => write('debug', facts, message),
    info: (facts, message) => write('info', facts, message),
    warn: (facts, message) => write('warn', facts, message),
    error: (facts, message) => write('error', facts, message),
    writes,
  };
}
