/** A plain caller of the sandbox over real sockets: one token, no client code of ours. */

import type { Sandbox } from '../spawn.ts';
import type { RoleName } from './by-hand.ts';

/** An object of a payload, its fields to be looked at one by one. */
export type Fields = Record<string, unknown>;

export type Caller = ReturnType<typeof callWith>;

/** Exchanges the key of a role once and calls with its token. */
export async function callAs(sandbox: Sandbox, role: RoleName = 'owner'): Promise<Caller> {
  const { clientId, clientSecret } = sandbox.keys[role];
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const response = await fetch(`${sandbox.authUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return callWith(sandbox, String(fieldsOf(await response.json()).access_token));
}

/** Calls with a given token. */
export function callWith(sandbox: Sandbox, token: string) {
  const send = async (method: string, path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(sandbox.baseUrl + path, { method, headers });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    const body = isJson ? fieldsOf(JSON.parse(text)) : {};
    const rows = Array.isArray(body.data) ? body.data.map(fieldsOf) : [];
    return { status: response.status, headers: response.headers, text, body, rows };
  };
  return { send, get: (path: string) => send('GET', path) };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
