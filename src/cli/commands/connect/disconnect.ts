import { type CommandLine, UsageError } from '../../command-line.ts';
import { ownCommand } from '../../program.ts';
import { openAsk } from '../../terminal/ask.ts';
import { say } from '../../terminal/text.ts';
import { clientOf, clients, secretVariable } from './clients.ts';
import { renderEntry, withoutEntry } from './configuration.ts';
import { readName } from './connect.ts';
import { type ConnectedEntry, readClients, thisMachine } from './entries.ts';
import { changeFile, forgetSecret } from './file.ts';

/** Takes this server out of the configuration of a client again, and the secret that only it used. */
export async function disconnect(line: CommandLine, ask = openAsk()): Promise<0 | 1> {
  const client = clientOf(line);
  if (client === undefined)
    throw new UsageError(`disconnect needs a client: ${clients.map(({ id }) => id).join(', ')}`);
  const path = client.file(thisMachine());
  const wanted = line.values.name || line.switches.has('sandbox') ? readName(line) : undefined;
  const entries = (await readClients(wanted)).find((it) => it.client === client)?.entries ?? [];
  const entry = pickEntry(entries, wanted);
  const name = entry?.name ?? wanted ?? 'commerce';
  if (client.format !== 'json' && entry) {
    say(`Nothing was written: take ${client.servers}.${name} out of ${path} by hand.`);
    return 1;
  }
  const outcome = await changeFile(path, {
    change: (text) => withoutEntry(client, text, name),
    shown: renderEntry(client, { name, content: entry?.content ?? {} }).replaceAll(
      /^(?=.)/gm,
      '- ',
    ),
    ask: line.switches.has('yes') ? 'agreed' : ask,
  });
  if (outcome !== 'written') {
    const isSame = outcome === 'same';
    console.log(isSame ? `${client.title} has no entry ${name}.` : 'Nothing was written.');
    return isSame ? 0 : 1;
  }
  console.log(`${client.title} no longer knows ${name}.`);
  await forgetSecretOf(entry);
  for (const other of entries.filter((it) => it !== entry))
    say(
      `${other.name} is still there: ${ownCommand()} disconnect ${client.id} --name ${other.name}`,
    );
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

/** Deletes the secret of an entry, unless another one names its file or a configuration cannot be read. */
async function forgetSecretOf(entry: ConnectedEntry | undefined): Promise<void> {
  const variable = `${secretVariable}_FILE`;
  const file = entry?.env[variable];
  const read = await readClients();
  const isUsed = read.some(
    (it) => it.problem ?? it.entries.some(({ env }) => env[variable] === file),
  );
  if (file !== undefined && !isUsed && (await forgetSecret(thisMachine(), file)))
    console.log(`Its secret is gone too: ${file}`);
}
