import { readFileSync } from 'node:fs';
import { flagOf, type Setting } from './setting.ts';

/** Where settings are looked for. */
export interface ConfigSource {
  env: Record<string, string | undefined>;
  /** Values of flags by flag name. */
  flags?: Record<string, string | undefined>;
  /** What stands in for missing credentials: the embedded sandbox's own. */
  fallback?: Readonly<Record<string, string>>;
  readFile?: (path: string) => string;
}

/** The text of a setting, if any, and where it was found. */
export interface FoundValue {
  /** The flag or variable that the value came from. */
  name: string;
  text: string | undefined;
  problem?: string;
}

/** Looks a setting up: the flag, the variable, its file, what stands in. */
export function findValue(key: string, setting: Setting, source: ConfigSource): FoundValue {
  const { env, flags = {}, fallback = {} } = source;
  const { variable } = setting;
  const flag = flagOf(setting);
  const flagged = flag === undefined ? undefined : flags[flag];
  if (flagged !== undefined) return { name: `--${flag}`, text: flagged.trim() };
  const given = ownWords(env[variable]);
  if (given) return { name: variable, text: given };
  const file = setting.fromFile ? ownWords(env[`${variable}_FILE`]) : undefined;
  if (file) return readSecretFile(`${variable}_FILE`, file, source.readFile);
  return { name: variable, text: fallback[key] ?? setting.standard };
}

/** A value; none where a desktop client left its reference to a field that was not filled in. */
function ownWords(value: string | undefined): string | undefined {
  const text = value?.trim();
  return text === undefined || /^\$\{user_config\.\w+\}$/.test(text) ? undefined : text;
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
