/** Several accounts behind one server: those of the file, or invented ones. */
import { randomBytes } from 'node:crypto';
import {
  type Account,
  type AccountList,
  followAccounts,
  serverPart,
} from '../config/accounts-file.ts';
import { needsAuthentication, readServerConfig, refuseSetting } from '../config/config.ts';
import { packaged } from '../core/program.ts';
import { Accounts, maxOpen } from '../mcp/app/accounts.ts';
import type { CommandLine } from './command-line.ts';
import { accountsPath, openLog, sourceOf } from './open-app.ts';
import { ownCommand } from './program.ts';

/** Opens the accounts of the file, or with `--sandbox` as many invented ones as `--accounts` says. @throws {ConfigError} */
export async function openAccounts(line: CommandLine) {
  const { queryEngine, flags } = line;
  const open = flags.sandbox ? inventAccounts : followFile;
  const { source, log, close, ...opened } = await open(line);
  const { config } = opened;
  const accounts = new Accounts({ config, source, sourceOf, log, queryEngine });
  return {
    accounts,
    ...opened,
    async close() {
      await accounts.close();
      await close();
    },
  };
}

async function followFile(line: CommandLine) {
  const config = readServerConfig(line);
  const log = openLog(line, config);
  const source = followAccounts(accountsPath(line) ?? '', config, log);
  const all = [...source.list.accounts.values()];
  const accounts = all.filter(({ fill }) => fill).map(({ name }) => name);
  const { length: count } = accounts;
  if (count > 0 && config.keepDir === undefined)
    throw refuseSetting('COMMERCE_KEEP_DIR', { code: 'keep_dir_missing', accounts });
  const tooMany = { code: 'too_many_filled', count, most: maxOpen - 1 } as const;
  if (count >= maxOpen) throw refuseSetting('COMMERCE_ACCOUNTS_FILE', tooMany);
  return { config, log, source, howToTry: (_: string) => '', close: async () => {} };
}

const owner = { ordersPerDay: 60, role: 'owner', sees: 'everything' } as const;
const manager = { ordersPerDay: 20, role: 'manager', sees: 'one location' } as const;
const auditor = { ordersPerDay: 200, role: 'auditor', sees: 'all locations but one' } as const;

/** The invented businesses: how large they are, and what their keys see. */
const businesses = [
  { name: 'gouden-kan', ...owner },
  { name: 'molenwijk', ...manager },
  { name: 'zuiderzee', ...auditor },
  { name: 'oude-haven', ...owner },
  { name: 'lindenhof', ...manager },
  { name: 'veerhuis', ...auditor },
  { name: 'kaasplein', ...owner },
  { name: 'meidoorn', ...manager },
  { name: 'noorderlicht', ...auditor },
];

async function inventAccounts({ env, flags }: CommandLine) {
  const server = readServerConfig({ env, flags }, true);
  const { startSandbox } = await import('../sandbox/sandbox.ts');
  const invent = async ({ name, ordersPerDay, role, sees }: (typeof businesses)[0], at: number) => {
    const { baseUrl, authUrl, keys, close } = await startSandbox({ seed: at + 1, ordersPerDay });
    const definitions = packaged('definitions');
    const { clientId, clientSecret } = keys[role];
    const own = { name, baseUrl, authUrl, clientId, clientSecret, definitions, fill: undefined };
    const account: Account = { ...serverPart(server, name), ...own };
    const about = `${ordersPerDay} orders a day; the key sees ${sees}`;
    return { account, about, close, token: newToken() };
  };
  const all = await Promise.all(businesses.slice(0, Number(flags.accounts)).map(invent));
  const { operatorToken = newToken() } = server;
  const hasTokens = needsAuthentication(server);
  const tokens = all.map(({ account: { name }, token }) => `${name}:${token}::${name}`);
  const httpTokens = hasTokens ? server.httpTokens : tokens.join(';');
  const config = { ...server, operatorToken, httpTokens };
  const list: AccountList = { accounts: new Map(all.map(({ account: it }) => [it.name, it])) };
  return {
    config,
    log: openLog({ env }, config),
    source: { list, refresh: () => list },
    howToTry(url: string) {
      const shown = (token = '') => (hasTokens ? 'YOUR_TOKEN' : token);
      const lines = all.map(
        ({ account: { name }, token, about }) => `  ${name.padEnd(13)} ${shown(token)}  ${about}`,
      );
      return `
Invented businesses, each with a token that opens it and no other:
${lines.join('\n')}

Ask one of them, and the same with the token of another:
  curl ${url} -H 'Authorization: Bearer ${shown(all[0]?.token)}' \\
    -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \\
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_daily_close","arguments":{"date":"yesterday"}}}'
Or connect a client:
  ${ownCommand()} connect cursor --url ${url}
What the operator sees:
  curl ${new URL('/readyz', url)} -H 'Authorization: Bearer ${operatorToken}'
`;
    },
    async close() {
      await Promise.all(all.map(({ close }) => close()));
    },
  };
}

function newToken(): string {
  return randomBytes(16).toString('hex');
}
