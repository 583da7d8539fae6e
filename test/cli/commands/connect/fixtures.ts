import { readFileSync } from 'node:fs';
import type { ServerEntry } from '../../../../src/cli/commands/connect/change.ts';
import type { ClientDefinition } from '../../../../src/cli/commands/connect/client.ts';
import { type ClientName, listClients } from '../../../../src/cli/commands/connect/clients.ts';

/** A client with a configuration of somebody who uses it, in the forms of its documentation. */
export interface Fixture {
  id: ClientName;
  client: ClientDefinition;
  text: string;
}

export const fixtures: readonly Fixture[] = listClients().map(({ id, client }) => ({
  id,
  client,
  text: readFileSync(new URL(`./fixtures/${id}.${client.format}`, import.meta.url), 'utf8'),
}));

/** An entry for an account, whose secret is where a client keeps it best. */
export function entryFor(client: ClientDefinition, name = 'commerce'): ServerEntry {
  const isReferred = client.reference !== undefined;
  return {
    server: {
      name,
      command: 'C:\\Program Files\\nodejs\\node.exe',
      args: ['/home/ada/commerce "mcp"/dist/cli.js'],
      env: {
        COMMERCE_BASE_URL: 'https://api.example.com',
        COMMERCE_CLIENT_ID: 'ck_acme.7',
        ...(!isReferred && { COMMERCE_CLIENT_SECRET_FILE: '/home/ada/ck_acme.7.secret' }),
      },
    },
    reference: client.reference,
  };
}
