import { CommerceError, type ErrorCode } from '../core/errors.ts';
import type { Message } from '../core/message.ts';
import { queryMessages } from './messages.ts';

/** Its reason never holds a stack, a path of the machine or a setting of the engine. */
export class QueryError extends CommerceError {
  override readonly name = 'QueryError';
  override readonly isExplained = true;

  constructor(reason: Message, code: ErrorCode = 'bad_input', options: ErrorOptions = {}) {
    super(code, reason, options);
  }
}

export function outOfMemory(): QueryError {
  return new QueryError(queryMessages.out_of_memory(), 'too_large');
}

export function rowTooLarge(): QueryError {
  return new QueryError(queryMessages.row_too_large(), 'too_large');
}
