import { type CommandLine, UsageError } from './command-line.ts';

/**
 * The number that a flag gives, or undefined without the flag.
 *
 * @throws {UsageError} for anything else than a whole number within the bounds.
 */
export function readWholeNumber(
  values: CommandLine['values'],
  flag: string,
  min: number,
  max: number,
): number | undefined {
  const text = values[flag];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new UsageError(`--${flag} must be a whole number from ${min} to ${max}, not "${text}"`);
}
