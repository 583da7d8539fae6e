/** A plain caller of the sandbox over real sockets: one role, one token, no client code of ours. */
import type { RoleName } from '../../src/sandbox/access/role.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** An object of a payload, its fields to be looked at one by one. */
export type Fields = Record<string, unknown>;

/** An answer, read whole. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body, when it is a JSON object; empty otherwise. */
  body: Fields;
  /** The rows of a list. */
  rows: Fields[];
}

export interface Caller {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  send(method: string, path: string): Promise<Answer>;
}

/** Exchanges the key of a role once and calls with its token. */
export async function callAs(sandbox: Sandbox, role: RoleName = 'owner'): Promise<Caller> {
  const { body } = await exchange(sandbox, sandbox.keys[role]);
  return callWith(sandbox, String(body.access_token));
}

/** Calls with a given token, or with none. */
export function callWith(sandbox: Sandbox, token: string | undefined): Caller {
  const call = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const init = { method, headers: { ...authorization, ...headers } };
    return read(await fetch(sandbox.baseUrl + path, { ...init, redirect: 'manual' }));
  };
  return { get: (path, headers) => call('GET', path, headers), send: call };
}

/** POST /oauth/token with HTTP Basic. */
export async function exchange(
  sandbox: Sandbox,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
  form: Record<string, string> = { grant_type: 'client_credentials' },
): Promise<Answer> {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const answer = await fetch(`${sandbox.authUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams(form),
  });
  return read(answer);
}

async function read(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  const body = headers.get('content-type')?.includes('json') ? fieldsOf(JSON.parse(text)) : {};
  const rows = Array.isArray(body.data) ? body.data.map(fieldsOf) : [];
  return { status, headers, text, body, rows };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
