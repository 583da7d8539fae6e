import {
  type ClientDefinition,
  clients,
  fileFormat,
  fileOf,
  type Machine,
} from '../src/cli/commands/connect/clients.ts';
import { entryOf, renderEntry } from '../src/cli/commands/connect/configuration.ts';

const sample = {
  COMMERCE_BASE_URL: 'https://api.example.com',
  COMMERCE_AUTH_URL: 'https://auth.example.com',
  COMMERCE_CLIENT_ID: 'your client id',
};

const name = 'commerce';

/** Where people find their home, in the words of each system. */
const machines: Record<string, Machine> = {
  Linux: { platform: 'linux', env: {}, home: '~' },
  macOS: { platform: 'darwin', env: {}, home: '~' },
  Windows: { platform: 'win32', env: { APPDATA: '%APPDATA%' }, home: '%USERPROFILE%' },
};

/**
 * The generated parts of docs/clients.md: for each client its file on each system and an entry, and one
 * table over all.
 *
 * @param packageName the name to fetch, once the package is published; a clone's path stands without it.
 */
export function clientSections(packageName: string | undefined): Record<string, string[]> {
  return Object.fromEntries(
    clients.map((client) => [`client-${client.id}`, section(client, packageName)]),
  );
}

function section(client: ClientDefinition, packageName: string | undefined): string[] {
  const entry = entryOf(client, name, {
    command: packageName === undefined ? 'node' : 'npx',
    args:
      packageName === undefined
        ? ['/absolute/path/to/commerce-mcp/dist/cli.js']
        : ['-y', packageName],
    env: {
      ...sample,
      COMMERCE_CLIENT_SECRET_FILE: '/absolute/path/to/a/file/with/the/secret',
    },
  });
  return [
    '```sh',
    `node dist/cli.js connect ${client.id} --print`,
    '```',
    '',
    '| system | file |',
    '|---|---|',
    ...Object.entries(machines).map(
      ([system, machine]) => `| ${system} | \`${fileOf(client, machine)}\` |`,
    ),
    '',
    `\`\`\`${fileFormat(client)}`,
    renderEntry(entry).trimEnd(),
    '```',
    '',
    client.next,
  ];
}
