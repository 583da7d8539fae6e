import { type Config, unknownVariables } from '../config/config.ts';
import { ConfigError } from '../config/problem.ts';
import { reasonIn } from '../core/errors.ts';
import type { Log } from '../core/message.ts';
import { createLog, type WriteReason } from '../mcp/telemetry/log.ts';
import type { CommandLine } from './command-line.ts';

/** The log of a command; variables that are mistyped come first. */
export function openLog(
  { env }: Pick<CommandLine, 'env'>,
  { logLevel, auditFile }: Pick<Config, 'logLevel' | 'auditFile'>,
): Log {
  const log = createLog(logLevel, { auditFile, openReasons });
  for (const unknown of unknownVariables(env)) log.warn(unknown, 'this variable is no setting');
  return log;
}

async function openReasons(): Promise<WriteReason> {
  const { personReader } = await import('./terminal/catalogue/catalogue.ts');
  const { problemLines } = await import('./terminal/catalogue/usage.ts');
  const reader = personReader();
  return (reason) => {
    if (reason instanceof ConfigError) return problemLines(reason.problems, reader).join('; ');
    return reader.say(reason instanceof Error ? reasonIn(reason) : reason);
  };
}
