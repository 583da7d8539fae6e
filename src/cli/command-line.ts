import type { SqlEngine } from '../query/engine.ts';
import { CommandError } from './terminal/command-error.ts';

/** What follows the name of a command, understood. */
export interface CommandLine {
  /** What is no flag. */
  operands: string[];
  /** Text flags by name. */
  values: Record<string, string | undefined>;
  /** Flags without a value that were given. */
  switches: ReadonlySet<string>;
  env: Readonly<Record<string, string | undefined>>;
  /** Runs statements; its owner closes it. @default a new one */
  queryEngine?: SqlEngine | undefined;
}

/** The command line cannot be used: exit code 2. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
}
