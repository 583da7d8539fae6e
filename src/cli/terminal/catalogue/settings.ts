import { toolsets } from '../../../endpoints/define.ts';
import type { PersonTexts } from './reader.ts';

const all = toolsets.join(', ');

const _listed = {
  toolset: `one of the toolsets ${all}`,
  host: 'a host name such as mcp.example.com',
  origin: 'an origin such as https://app.example.com',
};

const showWho = 'set COMMERCE_HTTP_TOKENS, COMMERCE_HTTP_TOKENS_FILE or COMMERCE_OAUTH_ISSUER';

const _kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list',
  record: 'accounts by their names',
};

export const settingTexts: PersonTexts = {
  // Order lines
  keep_dir_missing: ({ accounts = [] }) =>
    accounts.length === 0
      ? 'is missing: it names the folder that keeps the lines which COMMERCE_FILL reads'
      : `is missing: it names the folder that keeps the lines of the fill of ${accounts.join(', ')}`,
  too_many_filled: ({ count, most }) =>
    `has fill for ${count} accounts: they stay open, which ${most} at most may`,

  // Who may reach a server over HTTP
  token_entry: ({ entry, name, problem }, { say }) =>
    `entry ${entry} ${name === undefined ? '' : `(${name}) `}${say(problem)}`,
  repeated_token: () => 'repeats the token of another entry',
  not_a_token_entry: ({ hasAccounts }) =>
    `is not name:token or ${hasAccounts ? 'name:token:toolsets:account' : 'name:token:toolset,toolset'}; a token holds no colon`,
  bad_token_name: () =>
    'has a name of other characters than letters, digits, dots, dashes, _ and @',
  bad_token_characters: () => 'has a token with spaces or other characters',
  weak_token: ({ problem }, { say }) => `has a token that ${say(problem)}`,
  unknown_toolset: () => `names something that is no toolset; there are ${all}`,
  token_without_account: () => 'names no account, and the accounts file has no default',
  names_no_token: () => 'names no token',
  bad_digest: () => 'has a sha256: that is no 64 hexadecimal digits',
  bad_share: () => 'has a share= that is no whole percentage from 1 to 100',
  bad_until: () => 'has an until= that is no day such as 2026-12-31',
  no_sign_in_store: () =>
    'is missing: sign-ins are kept in this folder, or in COMMERCE_SIGN_IN_REDIS_URL or COMMERCE_REDIS_URL',
  sign_in_needs: () => 'is missing: nobody can sign in without it (docs/http.md)',
  signs_in_elsewhere: () =>
    'lets people sign in elsewhere: leave out COMMERCE_SIGN_IN, or leave out this',
  issuer_without_audience: () =>
    'is missing: with COMMERCE_OAUTH_ISSUER alone, a token for any other service would open this one',
  audience_without_issuer: () => 'is missing: COMMERCE_OAUTH_AUDIENCE says nothing without it',
  no_default_account: () =>
    `has no default, and callers do not show who they are: ${showWho}, or name a default`,
  open_address: ({ host }) =>
    `(--host) is ${host}, which other machines can reach, and callers would not have to show who they are: ${showWho}, or listen on 127.0.0.1`,
  open_hosts: ({ hosts }) =>
    `has ${hosts.join(', ')}, by which others reach this server through a proxy, and callers would not have to show who they are: ${showWho}`,
  port_in_use: ({ port }) => `(--port) ${port} is in use: give another`,
  address_unusable: ({ host, error }) => `(--host) ${host} cannot be used: ${error}`,
};
