import { type Toolset, toolsets } from '../../../endpoints/define.ts';

/** The scopes that an authorization server may grant for this one: the toolsets by name. */
export const knownScopes: readonly string[] = toolsets;

/** The scopes of a token: `scope` as RFC 9068 has it, or `scp` as a text or a list. */
export function scopesOf(claims: Readonly<Record<string, unknown>>): string[] {
  return [claims.scope, claims.scp]
    .flat()
    .flatMap((value) => (typeof value === 'string' ? value.split(' ') : []))
    .filter((scope) => scope !== '');
}

/** What scopes open: a toolset by its name, alone or as `commerce:NAME`; `commerce` opens all. */
export function toolsetsOf(scopes: readonly string[]): readonly Toolset[] {
  if (scopes.includes('commerce')) return toolsets;
  return toolsets.filter((name) => scopes.includes(name) || scopes.includes(`commerce:${name}`));
}
