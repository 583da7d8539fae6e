import { readerOf } from '../../../mcp/answers/catalogue/catalogue.ts';
import type { Dialect, Reader } from '../../../mcp/answers/catalogue/reader.ts';
import { shortTimes } from '../text.ts';

/** A person at a terminal: arguments as they are typed, Amsterdam times to the minute. */
export function personReader(hasTool: Dialect['hasTool']): Reader {
  return readerOf({
    argument: (name, value) =>
      `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    moment: shortTimes,
    passOn: '',
    hasTool,
  });
}
