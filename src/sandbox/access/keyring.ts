/** API keys and the tokens minted from them (section 5). */
import { randomUUID } from 'node:crypto';
import { ROLE_NAMES, ROLES, type Role, type RoleName } from './role.ts';

/** An API key: what a person hands to one integration. */
export interface ApiKey {
  /** A fixed prefix, the account name, a dot and a key id. */
  clientId: string;
  clientSecret: string;
}

/** A token as the platform keeps it. */
export interface Token {
  text: string;
  clientId: string;
  roleName: RoleName;
  expiresMs: number;
  /** Minted for a browser session: refused on every /api route. */
  isBrowserSession: boolean;
}

/** Who calls: the key that the rate budget belongs to, and its role. */
export interface Caller {
  token: Token;
  role: Role;
}

/** The demo keys, one for each role. */
export const KEYS: Readonly<Record<RoleName, ApiKey>> = {
  owner: apiKey('owner'),
  manager: apiKey('manager'),
  regional: apiKey('regional'),
  auditor: apiKey('auditor'),
  unbound: apiKey('unbound'),
  clerk: apiKey('clerk'),
  powerless: apiKey('powerless'),
  faceless: apiKey('faceless'),
};

/** Mints and recognises tokens; knows which keys are revoked. */
export class Keyring {
  readonly lifetimeMs: number;
  readonly #now: () => number;
  readonly #tokens = new Map<string, Token>();
  readonly #revoked = new Set<string>();

  constructor(lifetimeSeconds: number, now: () => number) {
    this.lifetimeMs = lifetimeSeconds * 1000;
    this.#now = now;
  }

  /** A token for a key, or undefined when the key is wrong or revoked. */
  exchange(clientId: string, clientSecret: string): Token | undefined {
    const roleName = ROLE_NAMES.find((name) => KEYS[name].clientId === clientId);
    if (roleName === undefined || KEYS[roleName].clientSecret !== clientSecret) return undefined;
    if (this.#revoked.has(clientId)) return undefined;
    return this.#mint(roleName, false);
  }

  /** A token as a browser would get it. */
  mintBrowserToken(roleName: RoleName): string {
    return this.#mint(roleName, true).text;
  }

  /** Who holds this token, or a sentence saying why it is refused. */
  recognise(text: string): Caller | string {
    const token = this.#tokens.get(text);
    if (token === undefined) return 'The access token is not known.';
    if (token.expiresMs <= this.#now()) return 'The access token has expired.';
    if (this.#revoked.has(token.clientId)) return 'The API key of this token was revoked.';
    if (token.isBrowserSession) return 'The token was minted for a browser session.';
    return { token, role: ROLES[token.roleName] };
  }

  revoke(clientId: string): void {
    this.#revoked.add(clientId);
  }

  restore(clientId: string): void {
    this.#revoked.delete(clientId);
  }

  /** Ends every token minted so far, as if its time had run out. */
  expireAll(): void {
    this.#tokens.forEach((token, text) => {
      this.#tokens.set(text, { ...token, expiresMs: 0 });
    });
  }

  #mint(roleName: RoleName, isBrowserSession: boolean): Token {
    this.#forgetOld();
    const token: Token = {
      text: `sbx_${randomUUID()}`,
      clientId: KEYS[roleName].clientId,
      roleName,
      expiresMs: this.#now() + this.lifetimeMs,
      isBrowserSession,
    };
    this.#tokens.set(token.text, token);
    return token;
  }

  /** Tokens that ended long ago need no reason any more. */
  #forgetOld(): void {
    if (this.#tokens.size < 1000) return;
    for (const [text, { expiresMs }] of this.#tokens) {
      if (expiresMs <= this.#now()) this.#tokens.delete(text);
    }
  }
}

function apiKey(name: RoleName): ApiKey {
  return { clientId: `ck_sandbox.${name}`, clientSecret: `sandbox-secret-of-${name}` };
}
