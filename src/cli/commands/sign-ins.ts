import { readServerConfig } from '../../config/config.ts';
import { amsterdamIso } from '../../core/calendar.ts';
import { quote } from '../../core/text.ts';
import { type Keeper, nameOf, openKeeper, personOf } from '../../mcp/http/sign-in/keeper.ts';
import type { CommandLine } from '../command-line.ts';
import { alignTable } from '../terminal/table.ts';
import { say } from '../terminal/text.ts';

/** Lists who is signed in to a server over HTTP, or ends the sign-ins of a name. */
export async function signIns({ env, values: flags }: CommandLine): Promise<0 | 1> {
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
  const found = await Promise.all(names.map((name) => describe(keeper, name)));
  const lines = found.flat();
  const columns = (['name', 'since', 'client'] as const).map((title) => ({
    title,
    cells: lines.map((it) => it[title]),
  }));
  if (lines.length === 0) say({ code: 'nobody_signed_in' });
  else console.log(alignTable(columns, process.stdout.columns || 160).join('\n'));
  return 0;
}

/** A sign-in by its last token: nothing where that was used, or the sign-in has ended. */
async function describe(keeper: Keeper, name: string) {
  const token = (await keeper.get('RefreshToken', name)) ?? {};
  const clientId = String(token.clientId);
  const [isUsed, grant, client] = await Promise.all([
    keeper.get('Used', name),
    keeper.get('Grant', nameOf(String(token.grantId))),
    keeper.get('Client', nameOf(clientId)),
  ]);
  if (isUsed || grant === undefined) return [];
  const since = amsterdamIso(Number(token.iiat) * 1000);
  // Another one is known by the address of its document.
  const registered = client && `${client.client_name}, ${client.redirect_uris}`;
  return { name: personOf(token), since, client: quote(registered ?? clientId) };
}
