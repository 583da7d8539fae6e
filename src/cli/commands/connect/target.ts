import { homedir } from 'node:os';
import { nearest } from '../../../core/nearest.ts';
import { type CommandLine, UsageError } from '../../command-line.ts';
import type { ClientDefinition } from './client.ts';
import { clients, isClientName } from './clients.ts';
import type { Machine } from './machine.ts';

/** The client that a command line names; undefined where it names none. @throws {UsageError} */
export function readClient([word, ...rest]: readonly string[]): ClientDefinition | undefined {
  if (word === undefined) return undefined;
  if (rest.length > 0) throw new UsageError(`one client at a time, not also "${rest.join(' ')}"`);
  const name = word.toLowerCase();
  if (isClientName(name)) return clients[name];
  const meant = nearest(name, Object.keys(clients));
  throw new UsageError(
    `There is no client ${word}. ${meant ? `Did you mean ${meant}?` : `There are: ${Object.keys(clients).join(', ')}.`}`,
  );
}

/** The name of an entry: that of the sandbox is one of its own. @throws {UsageError} */
export function readName({ values, switches }: Pick<CommandLine, 'values' | 'switches'>): string {
  const name = values.name ?? (switches.has('sandbox') ? 'commerce-sandbox' : 'commerce');
  if (/^[\w-]{1,40}$/.test(name)) return name;
  throw new UsageError('--name takes up to 40 letters, digits, - and _, such as commerce-haarlem');
}

/** The computer that this runs on. */
export function thisMachine(): Machine {
  return { platform: process.platform, env: process.env, home: homedir() };
}
