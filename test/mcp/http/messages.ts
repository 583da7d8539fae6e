/** Messages to a server over HTTP, in bare requests. */

/** Headers that every message of the older revisions carries. */
export const posted = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** A message of the older revisions, which needs no handshake here. */
export function message(method: string, params: unknown = {}, id: number | string = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export function post(
  url: string,
  body: string,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  const init = { method: 'POST', headers: { ...posted, ...headers }, body };
  return fetch(url, signal ? { ...init, signal } : init);
}

/** The last JSON-RPC message of a response, whether it came as JSON or as a stream of events. */
export async function lastMessage(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  const data = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .at(-1)
    ?.slice(6);
  return JSON.parse(data ?? text);
}

/** One request of the older revisions with its answer. */
export async function ask(
  url: string,
  method: string,
  params: unknown = {},
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  return lastMessage(await post(url, message(method, params), headers));
}

/** One tool call, as the older revisions make it. */
export function callTool(
  url: string,
  name: string,
  input: unknown = {},
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  return ask(url, 'tools/call', { name, arguments: input }, headers);
}

/** The id of the kept result that an answer names. */
export function resultIdIn(answer: unknown): string {
  return /r_[0-9a-f]{10}/.exec(JSON.stringify(answer))?.[0] ?? '';
}

/** `_meta` of every message of the 2026-07-28 revision. */
export const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1' },
};

export function modern(method: string, params: Record<string, unknown> = {}): string {
  return message(method, { ...params, _meta: envelope });
}

/** Headers of a message of the 2026-07-28 revision. */
export function modernHeaders(method: string, version = '2026-07-28', name?: string) {
  const own = { 'mcp-protocol-version': version, 'mcp-method': method };
  return name === undefined ? own : { ...own, 'mcp-name': name };
}
