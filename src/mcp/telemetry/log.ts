import type { Logger } from 'pino';
import { type Config, logLevels } from '../../config/config.ts';
import type { Log, Message } from '../../core/message.ts';

type Level = Exclude<keyof Log, 'audit' | 'writes'>;
type Write = Log[Level];

/** Most characters that wait for a reader who is slow; lines beyond them are lost. */
const maxLength = 2 ** 20;

/** Writes why something failed. */
export type WriteReason = (reason: Message | Error) => string;

interface LogOptions {
  /** @default stderr */
  descriptor?: number;
  /** Takes the lines of the audit, in place of stderr. */
  auditFile?: string | undefined;
  /** Opens what writes reasons, with the first line. @default a reason is written as data */
  openReasons?: () => Promise<WriteReason>;
}

/**
 * A log of JSON lines on stderr, or of readable ones where stderr is a terminal. The library behind it is loaded with
 * the first line that is written: most sessions write none.
 */
export function createLog(level: Config['logLevel'], options: LogOptions = {}): Log {
  const { descriptor = 2, auditFile = descriptor, openReasons } = options;
  let logger: Promise<Logger> | undefined;
  let auditor: Promise<Logger> | undefined;
  const writes = (at: Level): boolean => logLevels.indexOf(at) <= logLevels.indexOf(level);
  const writeAt =
    (at: Level): Write =>
    (facts, message) => {
      if (!writes(at)) return;
      logger ??= openLogger(level, descriptor, openReasons);
      // Without its log the server still serves.
      logger.then((ready) => ready[at](facts, message)).catch(() => {});
    };
  const audit: Write = (facts, message) => {
    auditor ??= openLogger('info', auditFile);
    auditor.then((ready) => ready.info(facts, message)).catch(() => {});
  };
  return { ...eachLevel(writeAt), audit, writes };
}

function eachLevel(write: (level: Level) => Write): Record<Level, Write> {
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}

async function openLogger(
  level: Config['logLevel'],
  dest: number | string,
  openReasons?: LogOptions['openReasons'],
): Promise<Logger> {
  const write = await openReasons?.();
  const reason = (it: Message | Error | string) =>
    typeof it === 'string' || !write ? it : write(it);
  const options = { level, base: null, serializers: { reason } };
  // A bundle knows nothing but the default of what is no ES module.
  const { default: pino } = await import('pino');
  const lines = pino.destination({
    dest,
    sync: true,
    maxLength,
    retryEAGAIN: () => false,
    mode: 0o600,
  });
  // A full disk or a closed pipe costs lines, not the server; what is left is tried with the next.
  lines.on('error', () => {});
  if (!process.stderr.isTTY || typeof dest === 'string') return pino(options, lines);
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty({ destination: lines, singleLine: true }));
}

/** The same log, with the name of an account on each line. */
export function withAccount(log: Log, account: string): Log {
  const write =
    (level: Level | 'audit'): Write =>
    (facts, message) =>
      log[level]({ account, ...facts }, message);
  return { ...eachLevel(write), audit: write('audit'), writes: log.writes };
}
