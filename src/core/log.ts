import type { Message } from './message.ts';

/** Of a line: `reason` is written as a sentence. */
export type LogFacts = Record<string, unknown> & { reason?: Message | Error | string | undefined };

/** The lines of one level: the facts of each, and its sentence. */
type Write = (facts: LogFacts, message: string) => void;

/** Where the server says what happens. */
export interface Log extends Record<'debug' | 'info' | 'warn' | 'error', Write> {
  /** Who did what: written whatever the level, where evidence is kept. */
  audit: Write;
  /** Whether lines of this level are written at all. */
  writes(level: Exclude<keyof Log, 'audit' | 'writes'>): boolean;
}
