import { UsageError } from '../../command-line.ts';
import { isPublished, packageName, programPath } from '../../program.ts';
import type { AccountSettings } from './account.ts';
import type { ServerEntry } from './change.ts';
import { type ClientDefinition, secretVariable } from './client.ts';
import type { Machine } from './machine.ts';
import { secretFileOf } from './secret-file.ts';

/** How a client starts the server: a program and what it takes. */
export interface Launch {
  command: string;
  args: readonly string[];
}

/** This very node and this very build; a package that was fetched is fetched again, in its version. */
export function thisLaunch(): Launch {
  const path = programPath();
  if (!/[\\/]_npx[\\/]/.test(path)) return { command: process.execPath, args: [path] };
  if (isPublished) return { command: 'npx', args: ['-y', packageName] };
  throw new UsageError(
    'this copy lies in a cache that may be emptied at any time: run connect from where it is installed',
  );
}

/** Where the secret of an entry is: in a file of ours, in one that was given, or with the client. */
export type SecretPlace =
  | { kind: 'none' }
  | { kind: 'kept' | 'given'; file: string }
  | { kind: 'reference' };

/** Where the secret goes. @throws {UsageError} for a place that the client does not know. */
export function placeSecret(
  client: ClientDefinition,
  account: AccountSettings,
  { machine, wish }: { machine: Machine; wish: string | undefined },
): SecretPlace {
  if (wish !== undefined && wish !== 'file' && wish !== 'client')
    throw new UsageError(`--secret-from is file or client, not "${wish}"`);
  if (wish === 'client' && client.reference === undefined)
    throw new UsageError(
      `${client.title} keeps no secrets and knows no references: leave --secret-from out`,
    );
  // A client that asks for the secret by itself keeps it best; others find it in their environment, or not.
  const asks = client.reference?.input !== undefined;
  if (wish === 'client' || (wish === undefined && asks && account.secretFile === undefined))
    return { kind: 'reference' };
  if (account.secretFile !== undefined) return { kind: 'given', file: account.secretFile };
  return { kind: 'kept', file: secretFileOf(machine, account.env.COMMERCE_CLIENT_ID ?? '') };
}

/** The entry that starts the server on an account, or on the sandbox without one. */
export function planEntry(
  client: ClientDefinition,
  {
    name,
    launch,
    account,
    place,
  }: {
    name: string;
    launch: Launch;
    account: AccountSettings | undefined;
    place: SecretPlace;
  },
): ServerEntry {
  const file = 'file' in place ? { [`${secretVariable}_FILE`]: place.file } : {};
  return {
    server: {
      name,
      command: launch.command,
      args: [...launch.args, ...(account ? [] : ['--sandbox'])],
      env: { ...account?.env, ...file },
    },
    reference: place.kind === 'reference' ? client.reference : undefined,
  };
}
