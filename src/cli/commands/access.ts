/** Who may call `http`: tokens that are new, and people who are signed in. */
import { randomBytes } from 'node:crypto';
import { readServerConfig } from '../../config/config.ts';
import { amsterdamIso } from '../../core/calendar.ts';
import { quote } from '../../core/text.ts';
import { isTokenName, tokenDigest } from '../../mcp/http/auth/tokens.ts';
import { describedClient } from '../../mcp/http/sign-in/client-id.ts';
import { type Keeper, nameOf, openKeeper, personOf } from '../../mcp/http/sign-in/keeper.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { alignRows } from '../terminal/table.ts';
import { say } from '../terminal/text.ts';

/** A token that nobody can guess, and the entry of COMMERCE_HTTP_TOKENS_FILE that lets it in without holding it. */
export async function newToken({ operands }: CommandLine): Promise<0> {
  const [verb, name = ''] = operands;
  if (verb !== 'new' || !isTokenName(name)) throw new UsageError({ code: 'token_usage' });
  const token = randomBytes(32).toString('base64url');
  process.stdout.write(`${token}\n${name}:sha256:${tokenDigest(token).toString('hex')}\n`);
  return 0;
}

/** Lists who is signed in to a server over HTTP, or ends the sign-ins of a name. */
export async function signIns({ env, flags }: CommandLine): Promise<0 | 1> {
  const keeper = await openKeeper(readServerConfig({ env, flags }, true));
  try {
    if (flags.end === undefined) return await list(keeper);
    const grants = await keeper.list('Grant');
    const found = await Promise.all(grants.map((name) => keeper.get('Grant', name)));
    const ended = grants.filter((_, at) => personOf(found[at] ?? {}) === flags.end);
    await Promise.all(ended.map((name) => keeper.remove('Grant', name)));
    say({ code: 'sign_ins_ended', count: ended.length, name: flags.end });
    return ended.length > 0 ? 0 : 1;
  } finally {
    keeper.close();
  }
}

async function list(keeper: Keeper): Promise<0> {
  const names = await keeper.list('RefreshToken');
  const rows = (await Promise.all(names.map((name) => rowOf(keeper, name)))).flat();
  if (rows.length === 0) say({ code: 'nobody_signed_in' });
  else console.log(alignRows(['name', 'since', 'client'], rows).join('\n'));
  return 0;
}

/** A sign-in by its last token: nothing where that was used, or the sign-in has ended. */
async function rowOf(keeper: Keeper, name: string): Promise<string[][]> {
  const token = (await keeper.get('RefreshToken', name)) ?? {};
  const clientId = String(token.clientId);
  const [isUsed, grant] = await Promise.all([
    keeper.get('Used', name),
    keeper.get('Grant', nameOf(String(token.grantId))),
  ]);
  const client = describedClient(clientId);
  if (isUsed || grant === undefined) return [];
  const since = amsterdamIso(Number(token.iiat) * 1000);
  // Another one is known by the address of its document.
  const registered = client && `${client.client_name}, ${client.redirect_uris}`;
  return [[personOf(token), since, quote(registered ?? clientId)]];
}
