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
  /** What refers to a secret that an entry does not hold: a text in its place, or fields. */
  reference?: string | JsonObject;
  /** Whether the client asks a person for the secret once, and keeps it. */
  asks?: boolean;
  /** What a person does next. */
  next: string;
}

/** How a client starts the server, or where it finds one over HTTP. */
export interface Server {
  name: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  remote?: { url: string; token: string };
}

/** The variable of the client secret. */
export const secretVariable = 'COMMERCE_CLIENT_SECRET';

/** The variable from which Codex and Goose take the token of a server over HTTP. */
export const tokenVariable = 'COMMERCE_MCP_TOKEN';

const json = { format: 'json', servers: 'mcpServers' } as const;

/** The clients by the name that `connect` takes, each as its own documentation describes it. */
export const clients = {
  'claude-desktop': {
    title: 'Claude Desktop',
    file: (machine) => inSettings(machine, 'Claude', 'claude_desktop_config.json'),
    ...json,
    next: 'Quit Claude Desktop completely and start it again.',
  },
  'claude-code': {
    title: 'Claude Code',
    file: (machine) => join(machine, machine.env.CLAUDE_CONFIG_DIR, '.claude.json'),
    ...{ ...json, address: 'url', isTyped: true, reference: `\${${secretVariable}}` },
    next: 'Start a new session of Claude Code; /mcp shows the server.',
  },
  vscode: {
    title: 'VS Code',
    file: (machine) => inSettings(machine, 'Code', 'User', 'mcp.json'),
    ...{ format: 'json', servers: 'servers', address: 'url', isTyped: true },
    ...{ reference: `\${input:${inputIdOf('NAME')}}`, asks: true },
    next: 'In VS Code run the command "MCP: List Servers" and start it.',
  },
  cursor: {
    title: 'Cursor',
    file: (machine) => join(machine, '', '.cursor', 'mcp.json'),
    ...{ ...json, address: 'url', reference: `\${env:${secretVariable}}` },
    next: 'Cursor reads it at once: Settings, Tools & MCP shows the server.',
  },
  windsurf: {
    title: 'Windsurf',
    file: (machine) => join(machine, '', '.codeium', 'windsurf', 'mcp_config.json'),
    ...{ ...json, address: 'serverUrl', reference: `\${env:${secretVariable}}` },
    next: 'In Windsurf press refresh in the MCP panel of Cascade.',
  },
  codex: {
    title: 'Codex',
    file: (machine) =>
      join(machine, machine.env.CODEX_HOME || join(machine, '', '.codex'), 'config.toml'),
    ...{ format: 'toml', servers: 'mcp_servers', address: 'url' },
    reference: { env_vars: [secretVariable] },
    next: 'Start a new session of Codex; /mcp shows the server.',
  },
  gemini: {
    title: 'Gemini CLI',
    file: (machine) => join(machine, '', '.gemini', 'settings.json'),
    ...{ ...json, address: 'httpUrl', reference: `$${secretVariable}` },
    next: 'Start Gemini CLI again; /mcp shows the server.',
  },
  goose: {
    title: 'Goose',
    file: (machine) =>
      machine.platform === 'win32'
        ? inSettings(machine, 'Block', 'goose', 'config', 'config.yaml')
        : inXdgConfig(machine, 'goose', 'config.yaml'),
    ...{ format: 'yaml', servers: 'extensions', address: 'uri' },
    reference: { env_keys: [secretVariable] },
    next: 'Start a new session of Goose.',
  },
} as const satisfies Record<string, ClientDefinition>;

export type ClientName = keyof typeof clients;

/** A client with the name that `connect` takes. */
export interface NamedClient {
  id: ClientName;
  client: ClientDefinition;
}

/** The clients in the order of the documentation. */
export function listClients(): NamedClient[] {
  const names = Object.keys(clients).filter(isClientName);
  return names.map((id) => ({ id, client: clients[id] }));
}

/** The client that a command line names, if any. @throws {UsageError} for several, or an unknown one */
export function clientOf({ operands: [word, ...others] }: CommandLine): NamedClient | undefined {
  if (others.length === 0) return word === undefined ? undefined : readClient(word);
  throw new UsageError(`one client at a time, not also "${others.join(' ')}"`);
}

/** The client that a word names. @throws {UsageError} that names the nearest one, or what is meant */
export function readClient(word: string): NamedClient {
  const id = word.toLowerCase();
  if (isClientName(id)) return { id, client: clients[id] };
  const names = Object.keys(clients);
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

function isClientName(word: string): word is ClientName {
  return Object.hasOwn(clients, word);
}

/** The entry of a server in the words of its client. */
export function contentOf(client: ClientDefinition, server: Server): JsonObject {
  const { name, command, args, env, remote } = server;
  const { address = 'url', isTyped, format } = client;
  const headers = remote?.token && { Authorization: `Bearer ${remote.token}` };
  if (format === 'yaml')
    return {
      ...{ enabled: true, type: remote ? 'streamable_http' : 'stdio', name },
      description: 'Read-only reports, orders, stock and customers',
      ...(remote
        ? { [address]: remote.url, headers, env_keys: [tokenVariable] }
        : { cmd: command, args: [...args], envs: { ...env } }),
      timeout: 300,
    };
  if (format === 'toml' && remote)
    return { [address]: remote.url, bearer_token_env_var: tokenVariable };
  const type = isTyped && { type: remote ? 'http' : 'stdio' };
  if (remote) return { ...type, [address]: remote.url, ...(headers && { headers }) };
  return { ...type, command, args: [...args], ...(Object.keys(env).length > 0 && { env }) };
}

/** Where a client that refers to a secret finds it, for people. */
export function secretPlace({ title, asks }: ClientDefinition): string {
  return asks
    ? `${title} itself: it asks once and keeps it`
    : `the environment that ${title} is started in`;
}

/** The name under which VS Code keeps the secret of an entry. */
export function inputIdOf(name: string): string {
  return `${name}-client-secret`;
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
