import type { JsonObject } from '../../../../core/json.ts';

export type FormatName = 'json' | 'toml' | 'yaml';

/** A change to a configuration: what stands at a path afterwards; `undefined` takes it out. */
export interface Step {
  path: readonly (string | number)[];
  value: unknown;
}

/** A form of configuration files that is edited in place: comments and order stay. */
export interface Format {
  /** The document; an empty text is an empty one. @throws {BrokenFileError} */
  parse(text: string): JsonObject;
  /** The text after one change, made where it belongs and nowhere else. */
  edit(text: string, step: Step): string;
}

/** A configuration file that cannot be read as what it should be. */
export class BrokenFileError extends Error {
  override readonly name = 'BrokenFileError';
}

/** The line end that a text uses. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
