import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import type { Logger } from 'pino';
import {
  type Config,
  ConfigError,
  logLevels,
  problemLines,
  settingError,
} from '../../config/config.ts';
import { settingMessages } from '../../config/messages.ts';
import { CommerceError, reasonIn } from '../../core/errors.ts';
import { fileMessages } from '../../core/files.ts';
import type { Log, Message } from '../../core/message.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';
type Write = Log[Level];

/** Characters that may wait for a slow reader; further lines are lost. */
const maxLength = 2 ** 20;

interface LogOptions {
  /** @default stderr */
  descriptor?: number;
  /** Receives the audit in place of stderr. */
  auditFile?: string | undefined;
}

/**
 * A log of JSON lines on stderr, readable ones at a terminal. Its library is loaded with the first line: most
 * sessions write none.
 */
export function createLog(level: Config['logLevel'], options: LogOptions = {}): Log {
  const { descriptor = 2, auditFile = descriptor } = options;
  let logger: Promise<Logger> | undefined;
  let auditor: Promise<Logger> | undefined;
  const writes = (at: Level): boolean => logLevels.indexOf(at) <= logLevels.indexOf(level);
  const writeAt =
    (at: Level): Write =>
    (facts, message) => {
      if (!writes(at)) return;
      logger ??= openLogger(level, descriptor);
      // The server works without its log.
      logger.then((ready) => ready[at](facts, message)).catch(() => {});
    };
  const levels = eachLevel(writeAt);
  let problem: string | undefined;
  const noteAudit = (error?: NodeJS.ErrnoException) => {
    const code = error && (error.code ?? error.message);
    if (code === problem) return;
    problem = code;
    if (error)
      levels.error({ reason: error.message }, 'the audit cannot be written: its lines wait');
    else levels.info({}, 'the audit is written again');
  };
  const audit: Write = (facts, message) => {
    auditor ??= openLogger('info', auditFile, noteAudit);
    auditor.then((ready) => ready.info(facts, message)).catch(noteAudit);
  };
  return { ...levels, audit, auditProblem: () => problem, writes };
}

/**
 * Checks that a file can take the audit, and ends a line that was cut off.
 * @throws {ConfigError} for a folder, a device, or a file that cannot be written
 */
export function checkAuditFile(path: string): void {
  const { O_RDWR, O_APPEND, O_CREAT, O_NONBLOCK = 0 } = constants;
  try {
    const file = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) throw new CommerceError('bad_config', fileMessages.not_a_plain_file());
      const end = Buffer.from('\n');
      readSync(file, end, { position: Math.max(0, stats.size - 1) });
      if (end.toString() !== '\n') writeSync(file, '\n');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const reason = reasonIn(error);
    throw settingError(
      'COMMERCE_AUDIT_FILE',
      settingMessages.unusable_path({ reason: reason.text }),
    );
  }
}

function eachLevel(write: (level: Level) => Write): Record<Level, Write> {
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}

function reasonText(reason: Message | Error | string): string {
  if (typeof reason === 'string') return reason;
  if (reason instanceof ConfigError) return problemLines(reason.problems).join('; ');
  return (reason instanceof Error ? reasonIn(reason) : reason).text;
}

/** @param noteOutcome called after each write, with its error */
async function openLogger(
  level: Config['logLevel'],
  dest: number | string,
  noteOutcome: (error?: Error) => void = () => {},
): Promise<Logger> {
  const options = { level, base: null, serializers: { reason: reasonText } };
  // Bundled CommonJS has only a default export.
  const { default: pino } = await import('pino');
  const lines = pino.destination({
    dest,
    sync: true,
    maxLength,
    retryEAGAIN: () => false,
    mode: 0o600,
  });
  // A full disk or a closed pipe does not stop the server: lines wait up to `maxLength` for the next write.
  lines.on('error', noteOutcome).on('write', () => noteOutcome());
  if (!process.stderr.isTTY || typeof dest === 'string') return pino(options, lines);
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty({ destination: lines, singleLine: true }));
}

/** A log that adds the name of an account to each line. */
export function withAccount(log: Log, account: string): Log {
  const write =
    (level: Level | 'audit'): Write =>
    (facts, message) =>
      log[level]({ account, ...facts }, message);
  const { auditProblem, writes } = log;
  return { ...eachLevel(write), audit: write('audit'), auditProblem, writes };
}
