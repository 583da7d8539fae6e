/** Problems of settings: each sentence follows the name of the setting. */
import { messagesOf } from '../core/message.ts';
import { listFirst } from '../core/text.ts';
import { toolsets } from '../endpoints/define.ts';

const itemKinds = {
  toolset: `one of the toolsets ${toolsets.join(', ')}`,
  host: 'a host name such as mcp.example.com',
  origin: 'an origin such as https://app.example.com',
};

export type ItemKind = keyof typeof itemKinds;

/** Names of the forms in the schema of a file of accounts. */
const forms: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list',
  record: 'accounts by their names',
};

export const settingMessages = messagesOf({
  missing_setting: ({ about }: { about: string }) => `is missing: ${about}`,
  must_be_address: 'must be an address such as https://api.example.com',
  must_be_https: 'must be https; plain http is for this machine only',
  must_be_bare_address: 'must be a bare address, without credentials, query or fragment',
  must_be_origin: 'must be an address without a path, such as https://mcp.example.com',
  must_be_redis:
    'must be an address such as redis://redis.example.com:6379 or rediss://..., without options after a "?"',
  must_be_proxy: 'must be an address such as http://proxy.example.com:3128',
  must_be_longer: ({ min }: { min: number }) =>
    `must have ${min} characters or more: \`openssl rand -base64 32\` makes one`,
  must_be_whole_number: ({ min, max }: { min: number; max: number }) =>
    `must be a whole number from ${min} to ${max}`,
  must_be_one_of: ({ words }: { words: readonly string[] }) => `must be one of ${words.join(', ')}`,
  must_be_host: 'must be a host name or an IP address, without a port',
  must_name: ({ kind }: { kind: ItemKind }) => `must name ${itemKinds[kind]}`,
  not_of_kind: ({ given, kind }: { given: string; kind: ItemKind }) =>
    `"${given}" is not ${itemKinds[kind]}`,
  unreadable_file: ({ reason }: { reason: string }) => `cannot be read: ${reason}`,
  unusable_path: ({ reason }: { reason: string }) => `cannot be used: ${reason}`,
  names_empty_file: ({ file }: { file: string }) => `names an empty file: ${file}`,

  // A file of accounts
  setting_of_one_account: 'is of one account: set it in the file of COMMERCE_ACCOUNTS_FILE',
  in_line: ({ line, keys, problem }: InLine) =>
    `line ${line}: ${[...(keys.length > 0 ? [keys.join('.')] : []), problem].join(' ')}`,
  broken_yaml: ({ line, words }: { line?: number | undefined; words: string }) =>
    line === undefined ? words : `line ${line}: ${words}`,
  bad_account_name: 'is no name of 1 to 40 letters, digits, dots, dashes and underscores',
  must_be: ({ kind }: { kind: string }) => `must be ${forms[kind] ?? kind}`,
  names_no_toolset: 'names no toolset',
  not_account_settings: ({ names }: { names: readonly string[] }) =>
    `has ${listFirst(names, 5)}, which is no setting of an account`,
  toolsets_left_out: ({ toolsets: names }: { toolsets: readonly string[] }) =>
    `names ${names.join(', ')}, which COMMERCE_TOOLSETS leaves out`,
  two_secrets: 'and client_secret_file are both given: leave one out',
  unknown_default: 'is none of the accounts',
  names_no_account: 'names no account',

  // Order lines
  fill_without_folder: 'needs COMMERCE_KEEP_DIR, the folder that keeps order lines',
  too_many_filled: ({ count, max }: { count: number; max: number }) =>
    `has fill for ${count} accounts: they stay open, and at most ${max} can`,
});

interface InLine {
  line: number;
  keys: readonly string[];
  cause: string;
  problem: string;
}
