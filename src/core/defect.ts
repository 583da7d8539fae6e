import { inspect } from 'node:util';
import type { JsonObject } from './json.ts';
import type { Log } from './message.ts';

/** Logs a bug of our own by its place. The whole error only goes to `debug`: its message may quote what a person typed. */
export function logDefect(
  log: Pick<Log, 'error' | 'debug'>,
  error: unknown,
  failed: string,
  facts: JsonObject = {},
): void {
  const kind = error instanceof Error ? error.name : typeof error;
  const at = /^\s*(at .*)$/m.exec(Object(error).stack ?? '')?.[1];
  log.error({ ...facts, error: kind, at }, failed);
  log.debug({ ...facts, error: inspect(error) }, failed);
}
