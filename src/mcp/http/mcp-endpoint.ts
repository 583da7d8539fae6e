import { randomUUID } from 'node:crypto';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Toolset } from '../../endpoints/define.ts';
import type { App } from '../app/app.ts';
import { type Caller, scopeTo } from '../app/scoped-app.ts';
import { createServer } from '../server/server.ts';
import { type Inbound, isId } from './body.ts';

/** A request that was let in, with its message. */
export interface McpRequest {
  request: Request;
  inbound: Inbound;
  caller: Caller;
  /** Settles when the answer has left, or the client has. */
  over: Promise<unknown>;
}

/** The protocol's endpoint: both eras, each request by itself, so that any replica can take it. */
export class McpEndpoint {
  readonly #app: App;
  readonly #viewOf: (caller: Caller) => App;
  readonly #views = new WeakMap<Request, App>();
  /** Calls under way that their client may cancel with a message of its own. */
  readonly #underWay = new Map<string, AbortController>();
  readonly #handler: ReturnType<typeof createMcpHandler>;

  constructor(app: App) {
    this.#app = app;
    this.#viewOf = scopeTo(app);
    this.#handler = createMcpHandler(
      ({ requestInfo }) => {
        const view = requestInfo && this.#views.get(requestInfo);
        if (view === undefined) throw new Error('a request came without its view');
        return createServer(view);
      },
      {
        // What went wrong may quote what was sent: its kind says enough.
        onerror: ({ name }) => app.log.debug({ error: name }, 'a request was not served'),
      },
    );
  }

  /** The tool that a message calls although the caller lacks its toolset. */
  lackedTool(
    { method, params }: Inbound,
    caller: Caller,
  ): { tool: string; scope: Toolset } | undefined {
    if (method !== 'tools/call' || typeof params.name !== 'string') return undefined;
    const found = this.#app.catalogue.find(params.name);
    if (found === undefined || caller.toolsets.includes(found.toolset)) return undefined;
    return { tool: params.name, scope: found.toolset };
  }

  async serve({ request, inbound, caller, over }: McpRequest): Promise<Response> {
    // Without a message there is nothing to serve: the handler knows with which status to say so.
    if (request.method !== 'POST') return this.#handler.fetch(request);
    const { body, method } = inbound;
    const { url, headers } = request;
    const signal = AbortSignal.any([
      request.signal,
      ...this.#cancellation(request, inbound, caller, over),
    ]);
    // The body has been read; what the handler needs of the request is the rest.
    const bare = new Request(url, { method: 'POST', headers, signal });
    this.#views.set(bare, this.#viewOf(caller));
    const response = await this.#handler.fetch(
      bare,
      body === undefined ? {} : { parsedBody: body },
    );
    // Nothing is kept under a session: its id is what a cancellation names its call by.
    if (method === 'initialize' && response.ok)
      response.headers.set('mcp-session-id', randomUUID());
    return response;
  }

  /** Ends what is under way. */
  close(): Promise<void> {
    return this.#handler.close();
  }

  /**
   * Revisions before 2026-07-28 cancel with a notification, which arrives as a request of its own: the
   * session it names leads to the call. Since then closing the stream is what cancels.
   * @returns the signal that fires when this call is cancelled, if it can be
   */
  #cancellation(
    { headers }: Request,
    { method, id, params: { requestId } }: Inbound,
    caller: Caller,
    over: Promise<unknown>,
  ): AbortSignal[] {
    const session = headers.get('mcp-session-id');
    if (session === null || method === undefined) return [];
    const keyOf = (call: string | number) => JSON.stringify([caller.id, session, call]);
    if (method === 'notifications/cancelled' && isId(requestId))
      this.#underWay.get(keyOf(requestId))?.abort();
    if (id === undefined) return [];
    const key = keyOf(id);
    const controller = new AbortController();
    this.#underWay.set(key, controller);
    void over.then(() => {
      if (this.#underWay.get(key) === controller) this.#underWay.delete(key);
    });
    return [controller.signal];
  }
}
