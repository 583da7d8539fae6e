import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CommerceError } from './core/errors.ts';
import { toolsets } from './endpoints/define.ts';

const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** A setting: its variable, what it means and what stands in when it is not given. */
export interface Setting {
  variable: `COMMERCE_${string}`;
  about: string;
  /** As text, the way a user would write it; without one the setting must be given. */
  standard?: string | undefined;
  /** Secrets have no flag: a command line is visible to every process of the machine. */
  secret?: true | undefined;
}

const address = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    context.addIssue('must be an address such as https://api.example.com');
    return z.NEVER;
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    context.addIssue('must be https; plain http is for this machine only');
    return z.NEVER;
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    context.addIssue('must be a bare address, without credentials, query or fragment');
    return z.NEVER;
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
});

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number);

const seconds = (min: number, max: number) =>
  wholeNumber(min, max).transform((count) => count * 1000);

const toolsetList = z.string().transform((text, context) => {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !toolsets.some((known) => known === name));
  if (unknown.length > 0) {
    context.addIssue(
      `knows no ${unknown.map((name) => `"${name}"`).join(', ')}; the toolsets are ${toolsets.join(', ')}`,
    );
    return z.NEVER;
  }
  return toolsets.filter((known) => names.includes(known));
});

const settingMeta = z.object({
  variable: z.templateLiteral(['COMMERCE_', z.string()]),
  about: z.string(),
  standard: z.string().optional(),
  secret: z.literal(true).optional(),
});

function setting(meta: Setting): { [key: string]: unknown } {
  return { ...meta };
}

/** Every setting with its default, in the order of the documentation; read from texts. */
export const configSchema = z.object({
  /** Without a trailing slash, such as `https://api.example.com`. */
  baseUrl: address.meta(
    setting({ variable: 'COMMERCE_BASE_URL', about: 'Address of the platform API' }),
  ),
  authUrl: address.meta(
    setting({
      variable: 'COMMERCE_AUTH_URL',
      about: "Address of the account's own authorization server",
    }),
  ),
  clientId: z
    .string()
    .meta(setting({ variable: 'COMMERCE_CLIENT_ID', about: 'Client id of the API key' })),
  clientSecret: z.string().meta(
    setting({
      variable: 'COMMERCE_CLIENT_SECRET',
      about:
        'Client secret of the API key (or `COMMERCE_CLIENT_SECRET_FILE`, a file that holds it)',
      secret: true,
    }),
  ),
  toolsets: toolsetList.meta(
    setting({
      variable: 'COMMERCE_TOOLSETS',
      about: `Comma list of ${toolsets.join(', ')}`,
      standard: toolsets.join(','),
    }),
  ),
  concurrency: wholeNumber(1, 64).meta(
    setting({ variable: 'COMMERCE_CONCURRENCY', about: 'Requests in flight', standard: '8' }),
  ),
  timeoutMs: seconds(1, 600).meta(
    setting({
      variable: 'COMMERCE_TIMEOUT_SECONDS',
      about: 'Longest one upstream request may take, with its whole body',
      standard: '30',
    }),
  ),
  maxWaitMs: seconds(0, 3600).meta(
    setting({
      variable: 'COMMERCE_MAX_WAIT_SECONDS',
      about: 'Longest a call may wait for rate budget',
      standard: '45',
    }),
  ),
  maxRows: wholeNumber(1, 10_000_000).meta(
    setting({
      variable: 'COMMERCE_MAX_ROWS',
      about: 'Most rows one call with `all` may read',
      standard: '100000',
    }),
  ),
  logLevel: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).meta(
    setting({
      variable: 'COMMERCE_LOG_LEVEL',
      about: `One of ${logLevels.join(', ')}; logs go to stderr`,
      standard: 'info',
    }),
  ),
});

/** What the server needs to know to run. Times are in milliseconds. */
export type Config = z.output<typeof configSchema>;

/** The settings by their key in {@link Config}, in the order of the documentation. */
export function listSettings(): { key: string; setting: Setting }[] {
  return Object.entries(configSchema.shape).map(([key, schema]) => ({
    key,
    setting: settingMeta.parse(schema.meta()),
  }));
}

/** The flag that wins over a variable: `COMMERCE_BASE_URL` -> `base-url`; none for secrets. */
export function flagOf({ variable, secret }: Setting): string | undefined {
  return secret ? undefined : variable.slice('COMMERCE_'.length).toLowerCase().replaceAll('_', '-');
}

export interface ConfigSource {
  env: Record<string, string | undefined>;
  /** Values of flags by flag name. */
  flags?: Record<string, string | undefined>;
  /** What stands in for missing credentials: the embedded sandbox's own. */
  fallback?: Readonly<Record<string, string>>;
  readFile?: (path: string) => string;
}

/**
 * Reads the whole configuration.
 *
 * @throws {ConfigError} with one line for each setting that is missing or wrong.
 */
export function readConfig(source: ConfigSource): Config {
  const found = new Map(
    listSettings().map(({ key, setting }) => [
      key,
      { setting, ...findValue(key, setting, source) },
    ]),
  );
  const read = configSchema.safeParse(
    Object.fromEntries([...found].map(([key, { text }]) => [key, text])),
  );
  if (read.success) return read.data;
  const problems = read.error.issues.flatMap(({ path, message }): ConfigProblem[] => {
    const value = found.get(String(path[0]));
    if (value === undefined) return [];
    if (value.text !== undefined) return [{ name: value.name, problem: message }];
    if (value.problem !== undefined) return [{ name: value.name, problem: value.problem }];
    return [{ name: value.name, problem: `is missing: ${value.setting.about}`, missing: true }];
  });
  throw new ConfigError(problems);
}

/** One setting that cannot be used; `name` is the variable or the flag it came from. */
export interface ConfigProblem {
  name: string;
  problem: string;
  missing?: true;
}

/** The configuration cannot be used. The message has one line a problem. */
export class ConfigError extends CommerceError {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super('bad_config', problems.map(({ name, problem }) => `${name} ${problem}`).join('\n'));
    this.problems = problems;
  }
}

/** Whether a host name means this machine, the only one that plain http may reach. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/.test(hostname);
}

interface FoundValue {
  /** The flag or variable that the value came from. */
  name: string;
  text: string | undefined;
  problem?: string;
}

function findValue(key: string, setting: Setting, source: ConfigSource): FoundValue {
  const { env, flags = {}, fallback = {} } = source;
  const { variable } = setting;
  const flag = flagOf(setting);
  const flagged = flag === undefined ? undefined : flags[flag];
  if (flagged !== undefined) return { name: `--${flag}`, text: flagged.trim() };
  const given = env[variable]?.trim();
  if (given) return { name: variable, text: given };
  const file = setting.secret ? env[`${variable}_FILE`]?.trim() : undefined;
  if (file) return readSecretFile(`${variable}_FILE`, file, source.readFile);
  return { name: variable, text: fallback[key] ?? setting.standard };
}

function readSecretFile(
  name: string,
  path: string,
  readFile = (file: string): string => readFileSync(file, 'utf8'),
): FoundValue {
  try {
    const text = readFile(path).trim();
    return text === ''
      ? { name, text: undefined, problem: `names an empty file: ${path}` }
      : { name, text };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { name, text: undefined, problem: `cannot be read: ${reason}` };
  }
}
