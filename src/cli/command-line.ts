import { isRecord, type JsonObject, parseJson } from '../core/json.ts';
import { logText, type Message } from '../core/message.ts';
import type { SqlEngine } from '../query/engine.ts';
import { usageMessages } from './messages.ts';

export interface CommandLine {
  operands: string[];
  /** Flags by name; `true` for one without a value. */
  flags: Readonly<Record<string, string | undefined>>;
  env: Readonly<Record<string, string | undefined>>;
  /** Runs statements; its owner closes it. @default a new one */
  queryEngine?: SqlEngine | undefined;
}

/** A failure for a person to read: exit code 1. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly reason: Message;

  constructor(reason: Message, options: ErrorOptions = {}) {
    super(logText(reason), options);
    this.reason = reason;
  }
}

/** The command line cannot be used: exit code 2. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
}

/** Reads `key=value` pairs as arguments; a JSON list or object is taken as its value. */
export function readPairs(pairs: readonly string[], names: readonly string[]): JsonObject {
  const input = new Map<string, unknown>();
  for (const pair of pairs) {
    const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name === '') throw new UsageError(usageMessages.not_key_value({ given: pair, names }));
    if (input.has(name)) throw new UsageError(usageMessages.given_twice({ name }));
    const parsed = parseJson(text);
    input.set(name, Array.isArray(parsed) || isRecord(parsed) ? parsed : text);
  }
  return Object.fromEntries(input);
}
