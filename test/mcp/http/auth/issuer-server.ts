/** An authorization server with keys that rotate, over real sockets. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export type IssuerServer = Awaited<ReturnType<typeof startIssuer>>;

export interface IssuerOptions {
  /** @default both */
  metadata?: 'oauth-authorization-server' | 'openid-configuration';
  /** The answer at addresses without metadata. @default 404 */
  elsewhere?: 'a page' | 'a redirection';
  /** An untrue issuer in the metadata. */
  claimedIssuer?: string;
  /** @default any free one */
  port?: number;
}

export const audience = 'https://mcp.example.com/mcp';

export async function startIssuer(options: IssuerOptions = {}) {
  let keyReads = 0;
  let serial = 0;
  let signing = await newKey();
  const app = new Hono();
  const names = options.metadata
    ? [options.metadata]
    : ['oauth-authorization-server', 'openid-configuration'];
  for (const name of names)
    app.get(`/.well-known/${name}/acme`, (context) =>
      context.json({
        issuer: options.claimedIssuer ?? issuer(),
        jwks_uri: `${issuer()}/keys`,
        token_endpoint: `${issuer()}/token`,
      }),
    );
  if (options.elsewhere === 'a page') app.get('/.well-known/*', (it) => it.html('<p>Log in</p>'));
  if (options.elsewhere === 'a redirection') app.get('/.well-known/*', (it) => it.redirect('/'));
  app.get('/acme/keys', (context) => {
    keyReads++;
    return context.json({ keys: [signing.jwk] });
  });
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');

  function issuer(): string {
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/acme`;
  }

  async function newKey(): Promise<{ key: CryptoKey; jwk: JWK }> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const kid = `key-${++serial}`;
    return { key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' } };
  }

  return {
    issuer: issuer(),
    /** How often the keys were read. */
    keyReads: () => keyReads,
    publicKey: () => signing.jwk,
    /** Mints a token; claims that are undefined are left out. @param typ of its header; '' for none */
    async mint(claims: Record<string, unknown> = {}, typ = 'at+jwt') {
      const seconds = Math.floor(Date.now() / 1000);
      const standard = {
        iss: issuer(),
        aud: audience,
        sub: 'agent-7',
        scope: 'reports orders',
        iat: seconds,
        exp: seconds + 300,
      };
      return new SignJWT({ ...standard, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: signing.jwk.kid ?? '', ...(typ && { typ }) })
        .sign(signing.key);
    },
    /** A new key signs from now on, and the old one is withdrawn. */
    async rotate() {
      signing = await newKey();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
