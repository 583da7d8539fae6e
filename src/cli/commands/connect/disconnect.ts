import { UsageError } from '../../command-line.ts';
import { ownCommand } from '../../program.ts';
import { type AskPerson, openAsk } from '../../terminal/ask.ts';
import { clients, readClient, secretVariable } from './clients.ts';
import { renderEntry, withoutEntry } from './configuration.ts';
import { readName } from './connect.ts';
import { type ConnectedEntry, readClients, thisMachine } from './entries.ts';
import { forgetSecret } from './file.ts';
import { say, writeChange } from './write.ts';

/** What `disconnect` was asked to do. */
export interface DisconnectOptions {
  client?: string | undefined;
  /** @default the account's entry, or that of the sandbox where it is the only one */
  name?: string | undefined;
  yes: boolean;
  sandbox: boolean;
  /** @default the person at the terminal, if there is one */
  ask?: AskPerson | undefined;
}

/** Takes this server out of the configuration of a client again, and the secret that only it used. */
export async function disconnect(options: DisconnectOptions): Promise<0 | 1> {
  if (options.client === undefined)
    throw new UsageError(`disconnect needs a client: ${Object.keys(clients).join(', ')}`);
  const { id, client } = readClient(options.client);
  const wanted = options.name || options.sandbox ? readName(options) : undefined;
  const found = (await readClients(undefined, wanted)).find((it) => it.id === id);
  const entries = found?.entries ?? [];
  const entry = pickEntry(entries, wanted);
  const name = entry?.name ?? wanted ?? 'commerce';
  if (client.format !== 'json' && entry) {
    say(
      `Nothing was written: take ${client.servers}.${name} out of ${client.file(thisMachine())}.`,
    );
    return 1;
  }
  const outcome = await writeChange(client, {
    change: (text) => withoutEntry(client, text, name),
    shown: renderEntry(client, { name, content: entry?.content ?? {} }).replaceAll(/^/gm, '- '),
    ask: options.ask ?? openAsk(),
    isAgreed: options.yes,
  });
  if (outcome !== 'written') {
    const isSame = outcome === 'same';
    console.log(isSame ? `${client.title} has no entry ${name}.` : 'Nothing was written.');
    return isSame ? 0 : 1;
  }
  console.log(`${client.title} no longer knows ${name}.`);
  await forgetSecretOf(entry);
  for (const other of entries.filter((it) => it !== entry))
    say(`${other.name} is still there: ${ownCommand()} disconnect ${id} --name ${other.name}`);
  console.log(`Next: ${client.next}`);
  return 0;
}

/** The entry that is named; else the account's; else the sandbox's. @throws {UsageError} for several */
function pickEntry(
  entries: readonly ConnectedEntry[],
  wanted: string | undefined,
): ConnectedEntry | undefined {
  if (wanted !== undefined) return entries.find(({ name }) => name === wanted);
  const accounts = entries.filter(({ isSandbox }) => !isSandbox);
  const meant = accounts.length > 0 ? accounts : entries;
  const entry = meant.find(({ name }) => name === 'commerce');
  if (entry || meant.length < 2) return entry ?? meant[0];
  const names = meant.map(({ name }) => name).join(', ');
  throw new UsageError(`there are several entries: ${names}. Name one with --name.`);
}

/** Deletes the secret of an entry, unless a configuration still names its file or cannot be read. */
async function forgetSecretOf(entry: ConnectedEntry | undefined): Promise<void> {
  const file = entry?.env[`${secretVariable}_FILE`];
  const read = await readClients();
  if (file === undefined || read.some(({ problem }) => problem !== undefined)) return;
  const texts = read.map(({ text = '' }) => text);
  if (await forgetSecret(thisMachine(), file, texts))
    console.log(`Its secret is gone too: ${file}`);
}
