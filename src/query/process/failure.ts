import { isRecord, parseJson } from '../../core/json.ts';
import type { EngineFailure } from '../advice/explain.ts';
import { OversizeError } from './answer.ts';

/** What the engine threw. Its errors are JSON behind some words (`errors_as_json`). */
export function failureOf(error: unknown): EngineFailure {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof OversizeError || text.startsWith('Cannot create a string longer')) {
    return { type: 'Oversize', message: text };
  }
  if (error instanceof RangeError) {
    const isStack = text.startsWith('Maximum call stack');
    return { type: isStack ? 'Depth' : 'Out of Memory', message: text };
  }
  const json = text.indexOf('{"exception_type"');
  const parsed = json === -1 ? undefined : parseJson(text.slice(json));
  if (!isRecord(parsed)) return { type: 'Engine', message: text };
  const { exception_type, exception_message, error_subtype, name, position } = parsed;
  return {
    type: String(exception_type),
    message: shortened(String(exception_message)),
    ...(typeof error_subtype === 'string' && { subtype: error_subtype }),
    ...(typeof name === 'string' && { name: shortened(name) }),
    ...(position !== undefined && { position: Number(position) }),
  };
}

/** A message may hold a value of any length; how it begins and ends says what it is about. */
function shortened(message: string): string {
  return message.length <= 4000 ? message : `${message.slice(0, 2000)}…${message.slice(-1000)}`;
}
