import { Pool } from 'undici';

/** The connections to one origin. */
export type { Pool };

/** Our own deadline covers a whole request, so the library's partial ones are off. */
const options = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 10_000 };

/** Opens a pool of kept-alive connections. The only file that loads undici: load it when needed. */
export function openPool(origin: string): Pool {
  return new Pool(origin, options);
}
