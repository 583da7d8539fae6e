import { randomUUID } from 'node:crypto';
import type { ClientMetadata } from 'oidc-provider';
import { isRecord, parseJson } from '../../../core/json.ts';
import { quote } from '../../../core/text.ts';

/**
 * The id of a registered client holds its whole description (RFC 7591, A.5.2). Nothing is stored, so no client
 * displaces another. A forged id gains nothing: registration is open to everybody.
 */
export function clientIdOf(body: unknown): string {
  const { redirect_uris, client_name } = isRecord(body) ? body : {};
  const name = typeof client_name === 'string' ? quote(client_name, 100) : undefined;
  const described = { redirect_uris, client_name: name, id: randomUUID().slice(0, 8) };
  return Buffer.from(JSON.stringify(described)).toString('base64url');
}

/** The client that an id describes; undefined for any other id. */
export function describedClient(id: string): ClientMetadata | undefined {
  const described = parseJson(Buffer.from(id, 'base64url').toString());
  if (!isRecord(described) || !Array.isArray(described.redirect_uris)) return undefined;
  const { redirect_uris } = described;
  const client_name = described.client_name ? String(described.client_name) : undefined;
  return { client_id: id, client_name, redirect_uris, token_endpoint_auth_method: 'none' };
}
