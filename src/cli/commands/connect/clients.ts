import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { nearest } from '../../../core/nearest.ts';
import { UsageError } from '../../command-line.ts';
import { connectMessages } from './messages.ts';

export interface Machine {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** Names in a folder; none if it is missing. */
  listFolder?: (folder: string) => readonly string[];
}

/** JSON is edited in place; entries in other formats are printed. */
export type ConfigFormat = 'json' | 'toml' | 'yaml';

export interface ClientDefinition {
  id: string;
  title: string;
  /** Path of its configuration, below one of {@link foldersOf}. */
  file: `{${keyof ReturnType<typeof foldersOf>}}/${string}.${ConfigFormat}`;
  /** The key of the object of servers. */
  servers: string;
  /** The key of the address of a server over HTTP. @default url */
  address?: string;
  /** Whether a server over HTTP is added as a connector in the client, not in a file. */
  isConnector?: boolean;
  refusesByteOrderMark?: boolean;
  hasTypeKey?: boolean;
  /** Whether its versions have configurations in different files, so that the entry is printed. */
  isPrinted?: boolean;
  next: string;
}

export const clients: readonly ClientDefinition[] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    file: '{claudeDesktop}/Claude/claude_desktop_config.json',
    servers: 'mcpServers',
    isConnector: true,
    refusesByteOrderMark: true,
    next: 'Quit Claude Desktop completely and start it again.',
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    file: '{claude}/.claude.json',
    servers: 'mcpServers',
    hasTypeKey: true,
    next: 'Start a new session of Claude Code; /mcp shows the server.',
  },
  {
    id: 'vscode',
    title: 'VS Code',
    file: '{settings}/Code/User/mcp.json',
    servers: 'servers',
    hasTypeKey: true,
    next: 'In VS Code run the command "MCP: List Servers" and start it.',
  },
  {
    id: 'cursor',
    title: 'Cursor',
    file: '{home}/.cursor/mcp.json',
    servers: 'mcpServers',
    next: 'Cursor reads it at once: Settings, Tools & MCP shows the server.',
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    file: '{home}/.codeium/windsurf/mcp_config.json',
    servers: 'mcpServers',
    address: 'serverUrl',
    next: 'In Windsurf press refresh in the MCP panel of Cascade.',
  },
  {
    id: 'codex',
    title: 'Codex',
    file: '{codex}/config.toml',
    servers: 'mcp_servers',
    next: 'Start a new session of Codex; /mcp shows the server.',
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    file: '{home}/.gemini/settings.json',
    servers: 'mcpServers',
    address: 'httpUrl',
    next: 'Start Gemini CLI again; /mcp shows the server.',
  },
  {
    id: 'antigravity',
    title: 'Antigravity',
    file: '{home}/.gemini/config/mcp_config.json',
    servers: 'mcpServers',
    address: 'serverUrl',
    isPrinted: true,
    next: 'In Antigravity choose MCP Servers, Manage MCP Servers, View raw config: the entry goes into the file that opens (~/.gemini/antigravity/mcp_config.json in older versions). Then press Refresh.',
  },
  {
    id: 'goose',
    title: 'Goose',
    file: '{goose}/config.yaml',
    servers: 'extensions',
    address: 'uri',
    next: 'Start a new session of Goose.',
  },
];

/** Whether an entry is written into the configuration; it is printed otherwise. */
export function isEditable(client: ClientDefinition): boolean {
  return fileFormat(client) === 'json' && !client.isPrinted;
}

export function fileFormat({ file }: Pick<ClientDefinition, 'file'>): ConfigFormat {
  return file.endsWith('toml') ? 'toml' : file.endsWith('yaml') ? 'yaml' : 'json';
}

/** The path of a configuration in the notation of the system. */
export function fileOf(
  { file }: { file: string },
  machine: Machine = { platform: process.platform, env: process.env, home: homedir() },
): string {
  const folders: Readonly<Record<string, string>> = foldersOf(machine);
  const path = file.replace(/^\{(\w+)\}/, (_, name) => folders[name] ?? '');
  return (machine.platform === 'win32' ? win32 : posix).normalize(path);
}

function foldersOf({ platform, env, home, listFolder = namesIn }: Machine) {
  const config = env.XDG_CONFIG_HOME || `${home}/.config`;
  const roaming = env.APPDATA || `${home}/AppData/Roaming`;
  const isWindows = platform === 'win32';
  const packages = `${env.LOCALAPPDATA || `${home}/AppData/Local`}/Packages`;
  const store = isWindows && listFolder(packages).find((name) => name.startsWith('Claude_'));
  const settings = isWindows
    ? roaming
    : platform === 'darwin'
      ? `${home}/Library/Application Support`
      : config;
  return {
    home,
    settings,
    // Windows gives an application of its Store a folder of its own for the settings it reads.
    claudeDesktop: store ? `${packages}/${store}/LocalCache/Roaming` : settings,
    claude: env.CLAUDE_CONFIG_DIR || home,
    codex: env.CODEX_HOME || `${home}/.codex`,
    goose: isWindows ? `${roaming}/Block/goose/config` : `${config}/goose`,
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Finds a client. @throws {UsageError} that names the nearest one */
export function readClient(word: string): ClientDefinition {
  const id = word.toLowerCase();
  const client = clients.find((client) => client.id === id);
  if (client) return client;
  if (id === 'claude') throw new UsageError(connectMessages.two_clients());
  if (id === 'chatgpt') throw new UsageError(connectMessages.client_starts_nothing());
  const names = clients.map((client) => client.id);
  throw new UsageError(
    connectMessages.unknown_client({ name: word, nearest: nearest(id, names), names }),
  );
}
