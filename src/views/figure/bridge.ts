/**
 * The view's half of MCP Apps (specification 2026-01-26): JSON-RPC 2.0 over `postMessage` with the
 * page that embeds it.
 */
import { isRecord, type JsonObject } from '../../core/json.ts';

/** What the host tells the view of its own accord. */
export interface HostEvents {
  /** The arguments of the tool call that opened the view. */
  onInput(input: JsonObject): void;
  /** A whole CallToolResult. */
  onResult(result: JsonObject): void;
  onCancelled(): void;
  /** Theme, styles, locale: what changed of them. */
  onContext(context: JsonObject): void;
  /** The view is about to be taken away. */
  onTeardown(): void;
}

/** The host that the view is in. */
export interface Host {
  /** By name, such as `downloadFile`; one that is missing is not offered. */
  capabilities: JsonObject;
  /** @throws {Error} with the host's words when it refuses. */
  request(method: string, params: JsonObject): Promise<unknown>;
  notify(method: string, params: JsonObject): void;
}

/** Shakes hands with the host. Listens first: what was sent before is not sent again. */
export async function connectHost(parent: Window, events: HostEvents): Promise<Host> {
  const waiting = new Map<unknown, (reply: JsonObject) => void>();
  const send = (message: JsonObject) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  let lastId = 0;

  const notify: Host['notify'] = (method, params) => send({ method, params });
  const request: Host['request'] = (method, params) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, ({ result, error }) => {
        if (error === undefined) resolve(result);
        else reject(new Error(textOf(error)));
      });
      send({ id: lastId, method, params });
    });

  window.addEventListener('message', ({ source, data }) => {
    if (source !== parent || !isRecord(data) || data.jsonrpc !== '2.0') return;
    const { id, method } = data;
    const params = isRecord(data.params) ? data.params : {};
    if (typeof method !== 'string') {
      waiting.get(id)?.(data);
      waiting.delete(id);
    } else if (id === undefined) {
      hear(method, params, events);
    } else if (method === 'ping' || method === 'ui/resource-teardown') {
      if (method !== 'ping') events.onTeardown();
      send({ id, result: {} });
    } else {
      send({ id, error: { code: -32601, message: `${method} is not known here` } });
    }
  });

  const answer = await request('ui/initialize', {
    appInfo: { name: 'commerce-mcp figure', version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    protocolVersion: '2026-01-26',
  });
  const { hostCapabilities, hostContext } = isRecord(answer) ? answer : {};
  if (isRecord(hostContext)) events.onContext(hostContext);
  notify('ui/notifications/initialized', {});
  return { capabilities: isRecord(hostCapabilities) ? hostCapabilities : {}, request, notify };
}

function hear(method: string, params: JsonObject, events: HostEvents): void {
  if (method === 'ui/notifications/tool-input')
    events.onInput(isRecord(params.arguments) ? params.arguments : {});
  if (method === 'ui/notifications/tool-result') events.onResult(params);
  if (method === 'ui/notifications/tool-cancelled') events.onCancelled();
  if (method === 'ui/notifications/host-context-changed') events.onContext(params);
}

function textOf(error: unknown): string {
  return isRecord(error) && typeof error.message === 'string' ? error.message : String(error);
}
