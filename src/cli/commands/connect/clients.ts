import { type ClientDefinition, type Server, secretVariable } from './client.ts';
import { inHome, inSettings, inXdgConfig, type Machine, pathOn } from './machine.ts';

/** The clients that `connect` knows, by the name that it takes; each as its own documentation says. */
export const clients = {
  'claude-desktop': {
    title: 'Claude Desktop',
    file: (machine) => inSettings(machine, 'Claude', 'claude_desktop_config.json'),
    traces: (machine) => [inSettings(machine, 'Claude')],
    format: 'json',
    servers: 'mcpServers',
    entry: started,
    next: 'Quit Claude Desktop completely and start it again.',
  },
  'claude-code': {
    title: 'Claude Code',
    file: (machine) =>
      machine.env.CLAUDE_CONFIG_DIR
        ? pathOn(machine, machine.env.CLAUDE_CONFIG_DIR, '.claude.json')
        : inHome(machine, '.claude.json'),
    traces: (machine) => [inHome(machine, '.claude.json'), inHome(machine, '.claude')],
    format: 'json',
    servers: 'mcpServers',
    entry: typed,
    reference: {
      env: () => `\${${secretVariable}}`,
      about: 'the environment that Claude Code is started in',
    },
    next: 'Start a new session of Claude Code; /mcp shows the server.',
  },
  vscode: {
    title: 'VS Code',
    file: (machine) => inSettings(machine, 'Code', 'User', 'mcp.json'),
    traces: (machine) => [inSettings(machine, 'Code')],
    format: 'json',
    servers: 'servers',
    entry: typed,
    reference: {
      env: (name) => `\${input:${name}-client-secret}`,
      input: (name) => ({
        type: 'promptString',
        id: `${name}-client-secret`,
        description: 'Client secret of the API key',
        password: true,
      }),
      about: 'VS Code itself: it asks once and keeps the secret',
    },
    next: 'In VS Code run the command "MCP: List Servers" and start it.',
  },
  cursor: {
    title: 'Cursor',
    file: (machine) => inHome(machine, '.cursor', 'mcp.json'),
    traces: (machine) => [inHome(machine, '.cursor')],
    format: 'json',
    servers: 'mcpServers',
    entry: typed,
    reference: {
      env: () => `\${env:${secretVariable}}`,
      about: 'the environment that Cursor is started in',
    },
    next: 'Cursor reads it at once: Settings, Tools & MCP shows the server.',
  },
  windsurf: {
    title: 'Windsurf',
    file: (machine) => inHome(machine, '.codeium', 'windsurf', 'mcp_config.json'),
    traces: (machine) => [inHome(machine, '.codeium', 'windsurf')],
    format: 'json',
    servers: 'mcpServers',
    entry: started,
    reference: {
      env: () => `\${env:${secretVariable}}`,
      about: 'the environment that Windsurf is started in',
    },
    next: 'In Windsurf press refresh in the MCP panel of Cascade.',
  },
  codex: {
    title: 'Codex',
    file: (machine) =>
      pathOn(machine, machine.env.CODEX_HOME || inHome(machine, '.codex'), 'config.toml'),
    traces: (machine) => [machine.env.CODEX_HOME || inHome(machine, '.codex')],
    format: 'toml',
    servers: 'mcp_servers',
    entry: started,
    reference: {
      fields: { env_vars: [secretVariable] },
      about: 'the environment that Codex is started in',
    },
    next: 'Start a new session of Codex; /mcp shows the server.',
  },
  gemini: {
    title: 'Gemini CLI',
    file: (machine) => inHome(machine, '.gemini', 'settings.json'),
    traces: (machine) => [inHome(machine, '.gemini')],
    format: 'json',
    servers: 'mcpServers',
    entry: started,
    reference: {
      env: () => `$${secretVariable}`,
      about: 'the environment that Gemini CLI is started in',
    },
    next: 'Start Gemini CLI again; /mcp shows the server.',
  },
  goose: {
    title: 'Goose',
    file: (machine) =>
      machine.platform === 'win32'
        ? inSettings(machine, 'Block', 'goose', 'config', 'config.yaml')
        : inXdgConfig(machine, 'goose', 'config.yaml'),
    traces: (machine) => [
      machine.platform === 'win32'
        ? inSettings(machine, 'Block', 'goose')
        : inXdgConfig(machine, 'goose'),
    ],
    format: 'yaml',
    servers: 'extensions',
    entry: ({ name, command, args, env }) => ({
      enabled: true,
      type: 'stdio',
      name,
      description: 'Read-only reports, orders, stock and customers',
      cmd: command,
      args: [...args],
      envs: { ...env },
      timeout: 300,
    }),
    reference: {
      fields: { env_keys: [secretVariable] },
      about: "Goose's own secrets, or the environment that it is started in",
    },
    next: 'Start a new session of Goose.',
  },
} as const satisfies Record<string, ClientDefinition>;

export type ClientName = keyof typeof clients;

/** Whether a word names a client. */
export function isClientName(word: string): word is ClientName {
  return Object.hasOwn(clients, word);
}

/** The clients with their names, in the order of the documentation. */
export function listClients(): { id: ClientName; client: ClientDefinition }[] {
  return Object.keys(clients)
    .filter(isClientName)
    .map((id) => ({ id, client: clients[id] }));
}

/** Where each trace of a client would lie, the configuration itself included. */
export function tracesOf(client: ClientDefinition, machine: Machine): string[] {
  return [client.file(machine), ...client.traces(machine)];
}

function started({ command, args, env }: Server) {
  return { command, args: [...args], ...(Object.keys(env).length > 0 && { env: { ...env } }) };
}

function typed(server: Server) {
  return { type: 'stdio', ...started(server) };
}
