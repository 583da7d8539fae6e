import { type Config, unknownVariables } from '../config/config.ts';
import type { Log } from '../core/log.ts';
import { createLog } from '../mcp/telemetry/log.ts';
import type { CommandLine } from './command-line.ts';

/** The log of a command; variables that are mistyped come first. */
export function openLog(
  { env }: Pick<CommandLine, 'env'>,
  { logLevel, auditFile }: Pick<Config, 'logLevel' | 'auditFile'>,
): Log {
  const log = createLog(logLevel, 2, auditFile);
  for (const unknown of unknownVariables(env)) log.warn(unknown, 'this variable is no setting');
  return log;
}
