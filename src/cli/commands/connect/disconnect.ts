import { type CommandLine, UsageError } from '../../command-line.ts';
import { openAsk } from '../../terminal/ask.ts';
import { withoutEntry } from './change.ts';
import { clients, listClients } from './clients.ts';
import { readTextFile } from './file.ts';
import { forgetSecret, secretFilesIn } from './secret-file.ts';
import { readClient, readName, thisMachine } from './target.ts';
import { writeChange } from './write.ts';

/** Takes this server out of the configuration of a client again, and the secret that only it used. */
export async function disconnect(line: CommandLine): Promise<0 | 1> {
  const client = readClient(line.operands);
  if (client === undefined)
    throw new UsageError(`disconnect needs a client: ${Object.keys(clients).join(', ')}`);
  const machine = thisMachine();
  const name = readName(line);
  const before = (await readTextFile(client.file(machine))) ?? '';
  const outcome = await writeChange({
    client,
    machine,
    change: (text) => withoutEntry(client, text, name),
    ask: openAsk(),
    isAgreed: line.switches.has('yes'),
  });
  if (outcome === 'same') {
    console.log(`${client.title} has no entry ${name}: nothing to take out.`);
    return 0;
  }
  if (outcome === 'declined') {
    console.error('Nothing was written.');
    return 1;
  }
  console.log(`${client.title} no longer knows ${name}.`);
  const texts = await Promise.all(
    listClients().map(({ client: it }) => readTextFile(it.file(machine))),
  );
  for (const file of secretFilesIn(before, machine))
    if (
      await forgetSecret(
        file,
        texts.filter((text) => text !== undefined),
      )
    )
      console.log(`Its secret is gone too: ${file}`);
  console.log(`Next: ${client.next}`);
  return 0;
}
