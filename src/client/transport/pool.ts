/** The only file that loads undici: import it when it is needed. */
import { Pool } from 'undici';

/** The client's own deadline covers a whole request, so the library's partial ones are off. */
const options = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 10_000 };

/** A pool of kept-alive connections to one origin. */
export function openPool(origin: string): Pool {
  return new Pool(origin, options);
}
