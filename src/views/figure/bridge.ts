/** The view's side of MCP Apps (specification 2026-01-26): JSON-RPC 2.0 over `postMessage` with the host page. */
import { isRecord, type JsonObject, ownValue } from '../../core/json.ts';

/** Handlers of messages from the host by method, such as `ui/notifications/tool-result`. */
export type HostListeners = Readonly<Record<string, (params: JsonObject) => void>>;

export interface Host {
  /** By name, such as `message`. A missing one is not offered. */
  capabilities: JsonObject;
  /** @throws {Error} with the host's words when it refuses. */
  request(method: string, params: JsonObject): Promise<unknown>;
  notify(method: string, params: JsonObject): void;
}

/**
 * Shakes hands with the host. It listens first, since hosts repeat no message, and treats the context of the
 * handshake as a change.
 */
export async function connectHost(parent: Window, listeners: HostListeners): Promise<Host> {
  const waiting = new Map<unknown, (reply: JsonObject) => void>();
  const send = (message: JsonObject) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const allListeners: HostListeners = { ping() {}, ...listeners };
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
  const callListener = (method: string, params: unknown): void =>
    ownValue(allListeners, method)?.(isRecord(params) ? params : {});

  window.addEventListener('message', ({ source, data }) => {
    if (source !== parent || !isRecord(data) || data.jsonrpc !== '2.0') return;
    const { id, method, params } = data;
    if (typeof method !== 'string') {
      waiting.get(id)?.(data);
      waiting.delete(id);
      return;
    }
    callListener(method, params);
    if (id === undefined) return;
    const error = { code: -32601, message: `${method} is not known here` };
    send(Object.hasOwn(allListeners, method) ? { id, result: {} } : { id, error });
  });

  const answer = await request('ui/initialize', {
    appInfo: { name: 'commerce-mcp figure', version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    protocolVersion: '2026-01-26',
  });
  const { hostCapabilities, hostContext } = isRecord(answer) ? answer : {};
  callListener('ui/notifications/host-context-changed', hostContext);
  notify('ui/notifications/initialized', {});
  return { capabilities: isRecord(hostCapabilities) ? hostCapabilities : {}, request, notify };
}

function textOf(error: unknown): string {
  return isRecord(error) && typeof error.message === 'string' ? error.message : String(error);
}
