import { clients, fileOf, type Machine } from '../src/cli/commands/connect/clients.ts';
import { entryOf, renderEntry } from '../src/cli/commands/connect/configuration.ts';

/** Home folders in the notation of each system. */
const machines: Record<string, Machine> = {
  Linux: { platform: 'linux', env: {}, home: '~' },
  macOS: { platform: 'darwin', env: {}, home: '~' },
  Windows: { platform: 'win32', env: { APPDATA: '%APPDATA%' }, home: '%USERPROFILE%' },
};

const env = {
  COMMERCE_BASE_URL: 'https://api.example.com',
  COMMERCE_AUTH_URL: 'https://auth.example.com',
  COMMERCE_CLIENT_ID: 'your client id',
  COMMERCE_CLIENT_SECRET_FILE: '/absolute/path/to/a/file/with/the/secret',
};

/**
 * The generated parts of docs/clients.md: the file of each client on each system, and an entry.
 *
 * @param packageName the name to fetch, once the package is published; a clone's path stands without it.
 */
export function clientSections(packageName: string | undefined): Record<string, string[]> {
  const program =
    packageName === undefined
      ? { command: 'node', args: ['/absolute/path/to/commerce-mcp/dist/cli.js'] }
      : { command: 'npx', args: ['-y', packageName] };
  const [client] = clients;
  const entry = client && renderEntry(entryOf(client, 'commerce', { ...program, env })).trimEnd();
  const systems = Object.keys(machines);
  return {
    clients: [
      `| client | ${systems.join(' | ')} | then |`,
      `|---|${systems.map(() => '---|').join('')}---|`,
      ...clients.map((client) => {
        const files = Object.values(machines).map((machine) => `\`${fileOf(client, machine)}\``);
        return `| ${client.title}: \`${client.id}\` | ${files.join(' | ')} | ${client.next} |`;
      }),
    ],
    'client-entry': ['```json', entry ?? '', '```'],
  };
}
