import { ownCommand, programPath } from '../../program.ts';
import { alignTable } from '../../terminal/table.ts';
import { entriesOf } from './change.ts';
import type { ClientDefinition } from './client.ts';
import { type ClientName, listClients, tracesOf } from './clients.ts';
import { isThere, readTextFile } from './file.ts';
import { BrokenFileError } from './formats/format.ts';
import type { Machine } from './machine.ts';

/** A client as it was found on a machine. */
export interface FoundClient {
  id: ClientName;
  client: ClientDefinition;
  isFound: boolean;
  /** Such as `connected as commerce`, for people. */
  state: string;
}

/** Each client, whether it is on a machine, and whether it starts this server. */
export async function findClients(machine: Machine): Promise<FoundClient[]> {
  return Promise.all(
    listClients().map(async ({ id, client }) => {
      const traces = await Promise.all(tracesOf(client, machine).map(isThere));
      return {
        id,
        client,
        isFound: traces.includes(true),
        state: await stateOf(client, machine),
      };
    }),
  );
}

/** What `connect` says without a client. */
export function renderClients(found: readonly FoundClient[], machine: Machine): string {
  const here = found.filter(({ isFound }) => isFound);
  const absent = found.filter(({ isFound }) => !isFound).map(({ id }) => id);
  const [example = found[0]] = here;
  return [
    ...(here.length > 0
      ? alignTable(
          [
            { title: 'client', isWhole: true },
            { title: 'state', isWhole: true },
            { title: 'configuration', isWhole: true },
          ],
          here.map(({ id, client, state }) => [id, state, client.file(machine)]),
        )
      : ['None of the clients that this command knows was found here.']),
    '',
    ...(absent.length > 0 ? [`Not found here: ${absent.join(', ')}.`] : []),
    `Connect one:      ${ownCommand()} connect ${example?.id}`,
    `Only look at it:  ${ownCommand()} connect ${example?.id} --sandbox --print`,
  ].join('\n');
}

async function stateOf(client: ClientDefinition, machine: Machine): Promise<string> {
  try {
    const text = await readTextFile(client.file(machine));
    const names = text === undefined ? [] : entriesOf(client, text, programPath());
    return names.length > 0 ? `connected as ${names.join(', ')}` : 'not connected';
  } catch (error) {
    if (error instanceof BrokenFileError) return 'its configuration is broken';
    if (error instanceof Error && 'code' in error) return 'its configuration cannot be read';
    throw error;
  }
}
