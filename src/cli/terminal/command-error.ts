import { logText } from '../../core/message.ts';
import type { Said } from './catalogue/catalogue.ts';

/** A command failed for a reason that only a person is told: exit code 1. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly reason: Said;

  constructor(reason: Said, options: ErrorOptions = {}) {
    super(logText(reason), options);
    this.reason = reason;
  }
}
