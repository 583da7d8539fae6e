/** What Hono carries along with a request here. */
import type { HttpBindings } from '@hono/node-server';
import type { Caller } from '../access/keyring.ts';

export interface Environment {
  Bindings: HttpBindings;
  Variables: {
    /** Equals X-Request-Id and the trace_id of a problem. */
    requestId: string;
    caller: Caller;
  };
}
