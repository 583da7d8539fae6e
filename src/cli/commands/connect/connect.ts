import type { CommandLine } from '../../command-line.ts';
import { UsageError } from '../../command-line.ts';
import { openAsk } from '../../terminal/ask.ts';
import { type AccountSettings, readAccount, showAccount } from './account.ts';
import { withEntry } from './change.ts';
import { checkAccount } from './check-account.ts';
import { type ClientDefinition, secretVariable } from './client.ts';
import { findClients, renderClients } from './list.ts';
import type { Machine } from './machine.ts';
import { placeSecret, planEntry, type SecretPlace, thisLaunch } from './plan.ts';
import { keepSecret } from './secret-file.ts';
import { readClient, readName, thisMachine } from './target.ts';
import { writeChange } from './write.ts';

/**
 * Puts this server into the configuration of a client and checks the account; with `--print` shows the
 * entry alone, and without a client what was found.
 */
export async function connect(line: CommandLine): Promise<0 | 1> {
  const client = readClient(line.operands);
  const machine = thisMachine();
  if (client === undefined) {
    if (line.switches.has('print')) throw new UsageError('--print needs a client, such as cursor');
    console.log(renderClients(await findClients(machine), machine));
    return 0;
  }
  return line.switches.has('print') ? print(client, machine, line) : put(client, machine, line);
}

/** The entry as an otherwise empty configuration would hold it: nothing is written, asked or checked. */
function print(client: ClientDefinition, machine: Machine, line: CommandLine): 0 {
  const account = line.switches.has('sandbox') ? undefined : showAccount(line.values, line.env);
  const place = placeOf(client, account, machine, line);
  const entry = planEntry(client, { name: readName(line), launch: thisLaunch(), account, place });
  process.stdout.write(withEntry(client, '', entry));
  console.error(
    `This belongs into ${client.file(machine)}. ${whereSecretGoes(client, place)}`.trim(),
  );
  return 0;
}

async function put(client: ClientDefinition, machine: Machine, line: CommandLine): Promise<0 | 1> {
  const { values, switches, env } = line;
  const ask = openAsk();
  const account = switches.has('sandbox') ? undefined : await readAccount(values, env, ask);
  const place = placeOf(client, account, machine, line);
  const entry = planEntry(client, { name: readName(line), launch: thisLaunch(), account, place });
  const outcome = await writeChange({
    client,
    machine,
    change: (text) => withEntry(client, text, entry),
    before: async () => {
      if (place.kind === 'kept' && account) await keepSecret(place.file, account.secret);
    },
    ask,
    isAgreed: switches.has('yes'),
  });
  if (outcome === 'declined') {
    console.error('Nothing was written.');
    return 1;
  }
  console.log(
    outcome === 'same'
      ? `${client.title} has this entry already: ${entry.server.name}.`
      : `${client.title} knows ${entry.server.name} now. ${secretAdvice(client, place)}`.trim(),
  );
  const isWell = account === undefined || (await checkAccount(account, line.queryEngine));
  console.log(`${isWell ? 'Next' : 'Put right what failed, then'}: ${client.next}`);
  return isWell ? 0 : 1;
}

function placeOf(
  client: ClientDefinition,
  account: AccountSettings | undefined,
  machine: Machine,
  { values }: CommandLine,
): SecretPlace {
  const wish = values['secret-from'];
  return account ? placeSecret(client, account, { machine, wish }) : { kind: 'none' };
}

function secretAdvice({ reference }: ClientDefinition, place: SecretPlace): string {
  if (place.kind === 'reference')
    return reference?.input
      ? 'The secret stays out of it: VS Code asks for it once and keeps it.'
      : `The secret stays out of it: ${secretVariable} comes from ${reference?.about}.`;
  return 'file' in place ? `The secret is in ${place.file}, for your eyes only.` : '';
}

/** The same for an entry that was only shown: nobody has put the secret there. */
function whereSecretGoes(client: ClientDefinition, place: SecretPlace): string {
  return place.kind === 'kept'
    ? `The secret goes into ${place.file} (mode 600): without --print this command puts it there.`
    : secretAdvice(client, place);
}
