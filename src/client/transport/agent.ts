/** The only file that loads undici: import it when it is needed. */
import { setFlagsFromString } from 'node:v8';
import { Agent } from 'undici';

// undici's parser is one huge function of WebAssembly. V8 would optimise it after the first answers, in the midst
// of a start, which takes 30 MB and a fifth of its processor time: a server that is much asked gets it later.
setFlagsFromString('--wasm-tiering-budget=30000000');

/** The client's own deadline covers a whole request, so the library's partial ones are off. */
const options = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 10_000 };

/** Kept-alive connections to every origin. */
export function openAgent(): Agent {
  return new Agent(options);
}
