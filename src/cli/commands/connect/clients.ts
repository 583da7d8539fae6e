import { posix, win32 } from 'node:path';
import type { JsonObject } from '../../../core/json.ts';
import { nearest } from '../../../core/nearest.ts';
import { type CommandLine, UsageError } from '../../command-line.ts';

/** What says where applications keep their settings on a computer. */
export interface Machine {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

/** A program that starts MCP servers, and how its configuration names one. */
export interface ClientDefinition {
  /** The name that `connect` takes. */
  id: string;
  title: string;
  /** The path of its configuration. */
  file(machine: Machine): string;
  /** JSON is edited in place; an entry in another format is printed. */
  format: 'json' | 'toml' | 'yaml';
  /** The key that holds the servers by name. */
  servers: string;
  /** The key of an address; absent where a server over HTTP is a connector of the account. */
  address?: string;
  /** Whether an entry names its transport. */
  isTyped?: boolean;
  /** Whether the client asks a person for the secret once, and keeps it. */
  asks?: boolean;
  /** What a person does next. */
  next: string;
}

/** What an entry says: how the server is started, or where it is found over HTTP. */
export interface Server {
  name: string;
  command?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  remote?: { url: string; token: string };
}

/** The variable of the client secret. */
export const secretVariable = 'COMMERCE_CLIENT_SECRET';

/** The variable from which Codex and Goose take the token of a server over HTTP. */
export const tokenVariable = 'COMMERCE_MCP_TOKEN';

const json = { format: 'json', servers: 'mcpServers' } as const;

/** The clients, each as its own documentation describes it. */
export const clients: readonly ClientDefinition[] = [
  {
    ...{ id: 'claude-desktop', title: 'Claude Desktop' },
    file: (machine) => inSettings(machine, 'Claude', 'claude_desktop_config.json'),
    ...json,
    next: 'Quit Claude Desktop completely and start it again.',
  },
  {
    ...{ id: 'claude-code', title: 'Claude Code' },
    file: (machine) => join(machine, machine.env.CLAUDE_CONFIG_DIR, '.claude.json'),
    ...{ ...json, address: 'url', isTyped: true },
    next: 'Start a new session of Claude Code; /mcp shows the server.',
  },
  {
    ...{ id: 'vscode', title: 'VS Code' },
    file: (machine) => inSettings(machine, 'Code', 'User', 'mcp.json'),
    ...{ format: 'json', servers: 'servers', address: 'url', isTyped: true, asks: true },
    next: 'In VS Code run the command "MCP: List Servers" and start it.',
  },
  {
    ...{ id: 'cursor', title: 'Cursor' },
    file: (machine) => join(machine, '', '.cursor', 'mcp.json'),
    ...{ ...json, address: 'url' },
    next: 'Cursor reads it at once: Settings, Tools & MCP shows the server.',
  },
  {
    ...{ id: 'windsurf', title: 'Windsurf' },
    file: (machine) => join(machine, '', '.codeium', 'windsurf', 'mcp_config.json'),
    ...{ ...json, address: 'serverUrl' },
    next: 'In Windsurf press refresh in the MCP panel of Cascade.',
  },
  {
    ...{ id: 'codex', title: 'Codex' },
    file: (machine) =>
      join(machine, machine.env.CODEX_HOME || join(machine, '', '.codex'), 'config.toml'),
    ...{ format: 'toml', servers: 'mcp_servers', address: 'url' },
    next: 'Start a new session of Codex; /mcp shows the server.',
  },
  {
    ...{ id: 'gemini', title: 'Gemini CLI' },
    file: (machine) => join(machine, '', '.gemini', 'settings.json'),
    ...{ ...json, address: 'httpUrl' },
    next: 'Start Gemini CLI again; /mcp shows the server.',
  },
  {
    ...{ id: 'goose', title: 'Goose' },
    file: (machine) =>
      machine.platform === 'win32'
        ? inSettings(machine, 'Block', 'goose', 'config', 'config.yaml')
        : inXdgConfig(machine, 'goose', 'config.yaml'),
    ...{ format: 'yaml', servers: 'extensions', address: 'uri' },
    next: 'Start a new session of Goose.',
  },
];

/** The client that a command line names, if any. @throws {UsageError} for several, or an unknown one */
export function clientOf({
  operands: [word, ...others],
}: CommandLine): ClientDefinition | undefined {
  if (others.length === 0) return word === undefined ? undefined : readClient(word);
  throw new UsageError(`one client at a time, not also "${others.join(' ')}"`);
}

/** The client that a word names. @throws {UsageError} that names the nearest one, or what is meant */
export function readClient(word: string): ClientDefinition {
  const id = word.toLowerCase();
  const found = clients.find((client) => client.id === id);
  if (found) return found;
  const names = clients.map((client) => client.id);
  const meant = nearest(id, names);
  const others = meant ? `Did you mean ${meant}?` : `The clients are: ${names.join(', ')}.`;
  throw new UsageError(hints[id] ?? `There is no client ${word}. ${others}`);
}

/** What is said to names that are no client, or two. */
const hints: Readonly<Record<string, string>> = {
  claude: 'claude may be claude-desktop (the app) or claude-code (the command line): give one.',
  chatgpt:
    'ChatGPT starts no programs on your machine: it takes a server that runs over HTTP with OAuth (docs/http.md). Add its public address, such as https://mcp.example.com/mcp, as a connector in ChatGPT. Codex does start programs: connect codex.',
};

/** The entry of a server in the words of its client. */
export function contentOf(client: ClientDefinition, server: Server): JsonObject {
  const { format, isTyped } = client;
  const { name, remote, command, args = [], env = {} } = server;
  if (remote) return remoteContentOf(client, name, remote);
  if (format === 'yaml')
    return {
      ...{ enabled: true, type: 'stdio', name, description, cmd: command, args: [...args] },
      ...{ envs: env, timeout: 300 },
    };
  return {
    ...(isTyped && { type: 'stdio' }),
    ...{ command, args: [...args], ...(Object.keys(env).length > 0 && { env }) },
  };
}

const description = 'Read-only reports, orders, stock and customers';

function remoteContentOf(
  { format, address = 'url', isTyped, asks }: ClientDefinition,
  name: string,
  { url, token }: NonNullable<Server['remote']>,
): JsonObject {
  if (format === 'toml') return { [address]: url, bearer_token_env_var: tokenVariable };
  const type = format === 'yaml' ? 'streamable_http' : 'http';
  const reference = asks ? inputReference(name) : `\${${tokenVariable}}`;
  const held = format === 'json' && !asks ? token : reference;
  return {
    ...(format === 'yaml' && { enabled: true, name, description, timeout: 300 }),
    ...((isTyped || format === 'yaml') && { type }),
    ...{ [address]: url, ...(held && { headers: { Authorization: `Bearer ${held}` } }) },
    ...(format === 'yaml' && { env_keys: [tokenVariable] }),
  };
}

/** The name under which VS Code keeps the secret of an entry. */
export function inputIdOf(name: string): string {
  return `${name}-client-secret`;
}

/** Stands in an entry for what a client asks a person for. */
export function inputReference(name: string): string {
  return `\${input:${inputIdOf(name)}}`;
}

/** What a client that asks for secrets asks because of an entry. */
export function inputOf({ asks }: ClientDefinition, name: string): JsonObject | undefined {
  const description = 'Client secret of the API key, or token of the server';
  if (!asks) return undefined;
  return { type: 'promptString', id: inputIdOf(name), description, password: true };
}

/** A file or folder where desktop applications keep their settings on this system. */
export function inSettings(machine: Machine, ...parts: string[]): string {
  const { platform, env } = machine;
  if (platform === 'darwin') return join(machine, '', 'Library', 'Application Support', ...parts);
  if (platform !== 'win32') return inXdgConfig(machine, ...parts);
  return join(machine, env.APPDATA || join(machine, '', 'AppData', 'Roaming'), ...parts);
}

/** Where programs of the command line keep their settings, on Linux and macOS alike. */
function inXdgConfig(machine: Machine, ...parts: string[]): string {
  return join(machine, machine.env.XDG_CONFIG_HOME || join(machine, '', '.config'), ...parts);
}

/** A path in a folder, or in the home folder, as the machine's own system writes it. */
function join(machine: Machine, folder: string | undefined, ...parts: string[]): string {
  return (machine.platform === 'win32' ? win32 : posix).join(folder || machine.home, ...parts);
}
