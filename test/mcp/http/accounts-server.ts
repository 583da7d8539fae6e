/** A server of several accounts over real sockets, each with a platform of its own. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { followAccounts } from '../../../src/config/accounts-file.ts';
import { readServerConfig } from '../../../src/config/config.ts';
import { Accounts, type AccountsSettings } from '../../../src/mcp/app/accounts.ts';
import { type ServingBounds, serveOverHttp } from '../../../src/mcp/http/serve.ts';
import type { ApiKey } from '../../../src/sandbox/http/access.ts';
import { engineFor } from '../../query-engine.ts';
import { keepLog, type LogLine } from '../../server-over.ts';
import { closeAfterwards } from '../../setup/closing.ts';
import { folderWith } from '../../setup/folder.ts';

/** An account in the file. */
export type Entry = Record<string, unknown>;

/** The entry for a running sandbox. */
export function entryOf(
  { baseUrl, authUrl, keys }: { baseUrl: string; authUrl: string; keys: { owner: ApiKey } },
  { clientId, clientSecret }: ApiKey = keys.owner,
): Entry {
  const key = { client_id: clientId, client_secret: clientSecret };
  return { base_url: baseUrl, auth_url: authUrl, ...key };
}

/** The token of a caller, different for each account. */
export function tokenOf(account: string, name = 'alice'): string {
  return `the-token-of-${name}-in-${account}`;
}

/** A list of tokens: for each account one caller of the same name. */
export function tokensOf(accounts: readonly string[]): string {
  return accounts.map((it) => `alice:${tokenOf(it)}::${it}`).join(';');
}

interface Options extends Pick<AccountsSettings, 'bounds' | 'elapsed' | 'now'> {
  /** @default one for a caller of each account */
  tokens?: string;
  default?: string;
  settings?: Record<string, string>;
  serving?: ServingBounds;
}

export type AccountsServer = Awaited<ReturnType<typeof serveAccounts>>;

/** Serves accounts of a file, which `write` replaces. */
export async function serveAccounts(entries: Record<string, Entry>, options: Options = {}) {
  const folder = folderWith();
  const path = join(folder, 'accounts.yaml');
  const write = (accounts: Record<string, Entry>, more: Entry = {}) =>
    writeFile(path, JSON.stringify({ accounts, ...more }));
  await write(entries, options.default === undefined ? {} : { default: options.default });
  const env = {
    COMMERCE_HTTP_PORT: '0',
    COMMERCE_HTTP_TOKENS: options.tokens ?? tokensOf(Object.keys(entries)),
    COMMERCE_OPERATOR_TOKEN: operatorToken,
    ...options.settings,
  };
  const config = readServerConfig({ env });
  const lines: LogLine[] = [];
  const log = keepLog(lines);
  const source = await followAccounts(path, config, log);
  const accounts = new Accounts({
    config,
    source,
    log,
    sourceOf: () => 'sandbox',
    describeWithinMs: 20_000,
    ...engineFor(options.settings ?? {}),
    ...(options.bounds && { bounds: options.bounds }),
    ...(options.elapsed && { elapsed: options.elapsed }),
    ...(options.now && { now: options.now }),
  });
  const serving = await serveOverHttp(accounts, config, options.serving);
  const { origin } = new URL(serving.url);
  const close = closeAfterwards(async () => {
    await serving.close();
    await accounts.close();
  });
  const operator = { authorization: `Bearer ${operatorToken}` };
  return {
    accounts,
    folder,
    path,
    write,
    lines,
    origin,
    close,
    url: serving.url,
    open: () => accounts.apps().map(({ account }) => account),
    ready: async (headers: Record<string, string> = {}) =>
      (await fetch(`${origin}/readyz`, { headers })).json(),
    operator,
    metrics: async () => (await fetch(`${origin}/metrics`, { headers: operator })).text(),
  };
}

const operatorToken = 'the-token-of-the-operator';
