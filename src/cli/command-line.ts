import { CommerceError } from '../core/errors.ts';
import type { SqlEngine } from '../query/engine.ts';

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

/** What of a command line says whose account is asked, and how. */
export type AccountLine = Omit<CommandLine, 'operands'>;

/** Section "Command line" of the README: 0 done, 1 failed, 2 wrong usage or configuration. */
export type ExitCode = 0 | 1 | 2;

/** The command line cannot be used: exit code 2. */
export class UsageError extends CommerceError {
  override readonly name = 'UsageError';

  constructor(message: string) {
    super('bad_config', message);
  }
}
