/** API keys and the tokens minted from them (docs/platform.md#api-keys). */
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
  /** Ids of keys whose tokens and exchange answer 401. */
  readonly revoked = new Set<string>();
  readonly #now: () => number;
  readonly #tokens = new Map<string, Token>();

  constructor(lifetimeSeconds: number, now: () => number) {
    this.lifetimeMs = lifetimeSeconds * 1000;
    this.#now = now;
  }

  /** A token for a key, or undefined when the key is wrong or revoked. */
  exchange(clientId: string, clientSecret: string): string | undefined {
    const roleName = ROLE_NAMES.find((name) => KEYS[name].clientId === clientId);
    if (roleName === undefined || KEYS[roleName].clientSecret !== clientSecret) return undefined;
    return this.revoked.has(clientId) ? undefined : this.mint(roleName, false);
  }

  /** A token for a role, as an exchange or as a browser session gets it. */
  mint(roleName: RoleName, isBrowserSession: boolean): string {
    const text = `sbx_${randomUUID()}`;
    const { clientId } = KEYS[roleName];
    const expiresMs = this.#now() + this.lifetimeMs;
    this.#tokens.set(text, { clientId, roleName, expiresMs, isBrowserSession });
    return text;
  }

  /** Who holds this token, or a sentence saying why it is refused. */
  recognise(text: string): Caller | string {
    const token = this.#tokens.get(text);
    if (token === undefined) return 'The access token is not known.';
    if (token.expiresMs <= this.#now()) return 'The access token has expired.';
    if (this.revoked.has(token.clientId)) return 'The API key of this token was revoked.';
    if (token.isBrowserSession) return 'The token was minted for a browser session.';
    return { token, role: ROLES[token.roleName] };
  }

  /** Ends every token minted so far, as if its time had run out. */
  expireAll(): void {
    for (const token of this.#tokens.values()) token.expiresMs = 0;
  }
}

function apiKey(name: RoleName): ApiKey {
  return { clientId: `ck_sandbox.${name}`, clientSecret: `sandbox-secret-of-${name}` };
}
