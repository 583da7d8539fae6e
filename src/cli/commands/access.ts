import { randomBytes } from 'node:crypto';
import { ConfigError, readServerConfig } from '../../config/config.ts';
import { amsterdamIso } from '../../core/calendar.ts';
import type { Log } from '../../core/message.ts';
import { countNoun, quote } from '../../core/text.ts';
import { storeProblems } from '../../mcp/http/access.ts';
import { isTokenName, tokenDigest } from '../../mcp/http/auth/tokens.ts';
import { describedClient } from '../../mcp/http/sign-in/client-id.ts';
import { type Keeper, openKeeper, personOf, signInRedisOf } from '../../mcp/http/sign-in/keeper.ts';
import { rotateKeys } from '../../mcp/http/sign-in/keys.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { usageMessages } from '../messages.ts';
import { openLog } from '../open-app.ts';
import { alignRows } from '../terminal/table.ts';
import { say } from '../terminal/text.ts';

/** Makes a random token, and the entry of COMMERCE_HTTP_TOKENS_FILE that accepts it by its digest. */
export async function newToken({ operands }: CommandLine): Promise<0> {
  const [verb, name = ''] = operands;
  if (verb !== 'new' || !isTokenName(name)) throw new UsageError(usageMessages.token_usage());
  const token = randomBytes(32).toString('base64url');
  process.stdout.write(`${token}\n${name}:sha256:${tokenDigest(token).toString('hex')}\n`);
  return 0;
}

interface SignIn {
  grant: string;
  person: string;
  since: string;
  client: string;
}

/** Lists sign-ins, ends those of a name, or makes a new signing key. */
export async function signIns(line: CommandLine): Promise<0 | 1> {
  const { env, flags } = line;
  const config = readServerConfig({ env, flags }, true);
  const problems = storeProblems(config);
  if (problems.length > 0) throw new ConfigError(problems);
  const keeper = await openKeeper(config);
  try {
    if (flags['new-key'] !== undefined) {
      await rotateKeys(keeper);
      say(
        'A new key signs from now on; the old one verifies until the last token that it signed has ended.',
      );
      return 0;
    }
    const grants = await keeper.list('Grant');
    const all = (await Promise.all(grants.map((grant) => readSignIn(keeper, grant)))).flat();
    if (flags.end !== undefined)
      return await endSignIns(keeper, all, flags.end, openLog(line, config));
    const rows = all.map(({ person, since, client }) => [person, since, client]);
    const redisUrl = signInRedisOf(config);
    const store = redisUrl ? new URL(redisUrl).host : String(config.signInDir);
    if (rows.length === 0) say(`Nobody is signed in (${store}).`);
    else console.log(alignRows(['name', 'since', 'client'], rows).join('\n'));
    return 0;
  } finally {
    keeper.close();
  }
}

/** @param target a name, or `name:client` with a part of the listed client */
async function endSignIns(keeper: Keeper, all: SignIn[], target: string, log: Log) {
  const [name, part = ''] = target.split(/:(.*)/s);
  const ended = all.filter(({ person, client }) => person === name && client.includes(part));
  for (const { grant, person, client } of ended) {
    await keeper.remove('Grant', grant);
    log.audit({ outcome: 'ended', caller: person, client }, 'sign-in');
  }
  say(`${countNoun(ended.length, 'sign-in')} of ${target} ended.`);
  return ended.length > 0 ? 0 : 1;
}

async function readSignIn(keeper: Keeper, grant: string): Promise<SignIn[]> {
  const stored = await keeper.get('Grant', grant);
  if (stored === undefined) return [];
  const clientId = String(stored.clientId);
  const registered = describedClient(clientId);
  // Unregistered clients are known by the address of their document.
  const client = registered && `${registered.client_name}, ${registered.redirect_uris}`;
  const since = amsterdamIso(Number(stored.iat) * 1000);
  return [{ grant, person: personOf(stored), since, client: quote(client ?? clientId) }];
}
