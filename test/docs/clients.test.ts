import { parse as parseToml } from 'smol-toml';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { clients, fileFormat } from '../../src/cli/commands/connect/clients.ts';
import { readCommandLine } from '../../src/cli/run-command-line.ts';
import { readConfig, settings } from '../../src/config/config.ts';
import { runHere } from '../cli/run-here.ts';
import { binary } from '../spawn.ts';
import { type Fenced, fencedBlocks } from './markdown.ts';

/** A server that a client starts, in the words that all of them share. */
const started = z.strictObject({
  type: z.literal('stdio').optional(),
  command: z.enum(['npx', 'node', process.execPath]),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()).optional(),
});

/** The same in the words of Goose. */
const extension = z
  .looseObject({
    type: z.literal('stdio'),
    enabled: z.literal(true),
    cmd: z.enum(['npx', 'node', process.execPath]),
    args: z.array(z.string()),
    envs: z.record(z.string(), z.string()),
  })
  .transform(({ cmd, args, envs }) => ({ command: cmd, args, env: envs }));

const headers = z.strictObject({ Authorization: z.string() });
const address = z.literal('https://mcp.example.com/mcp');

/** A server that a client reaches, in the words of each. */
const reached = z.union([
  z.strictObject({ type: z.literal('http').optional(), url: address, headers }),
  z.strictObject({ serverUrl: address, headers }),
  z.strictObject({ httpUrl: address, headers }),
  z.strictObject({ url: address, bearer_token_env_var: z.string() }),
  z
    .looseObject({ type: z.literal('streamable_http'), uri: address, headers })
    .transform(({ uri }) => ({ uri })),
]);

const server = z.union([started, extension, reached]);
type Server = z.output<typeof server>;
const servers = z.record(z.string(), server);

/** The files of the clients: the key under which servers stand differs. */
const configuration = z.union([
  z.strictObject({ mcpServers: servers }),
  z.strictObject({ mcp_servers: servers }),
  z.strictObject({ extensions: servers }),
  z.strictObject({ servers }),
]);

/** The entries of the documentation. */
const blocks = [...fencedBlocks('docs/clients.md'), ...fencedBlocks('README.md')].filter(
  ({ language, text }) =>
    language === 'toml' || (/^(json|yaml)$/.test(language) && /servers|extensions/i.test(text)),
);

function read({
  language,
  text,
}: Pick<Fenced, 'language' | 'text'>): z.output<typeof configuration> {
  if (language === 'toml') return configuration.parse(parseToml(text));
  return configuration.parse(language === 'yaml' ? parseYaml(text) : JSON.parse(text));
}

/** The file that an entry names is not here. */
function withFileOfSecret(env: Record<string, string>) {
  const secret = 'COMMERCE_CLIENT_SECRET_FILE' in env && { COMMERCE_CLIENT_SECRET: 'a secret' };
  return { ...env, ...secret };
}

/** Every server of a configuration starts this program, with all settings that it needs. */
function expectServers(configuration: Pick<Fenced, 'language' | 'text'>): void {
  for (const server of Object.values(read(configuration)).flatMap(Object.values<Server>)) {
    if (!('command' in server)) continue;
    const { command, args, env = {} } = server;
    const rest = serverArguments(command, args);
    const line = readCommandLine(rest);
    if (line?.command !== 'stdio') expect.unreachable(rest.join(' '));
    const known = settings.map(({ variable }) => variable);
    const names = Object.keys(env).map((name) => name.replace(/_FILE$/, ''));
    expect(known).toEqual(expect.arrayContaining(names));
    readConfig({ env: withFileOfSecret(env) });
  }
}

test('a configuration is shown', () => {
  expect(blocks).not.toEqual([]);
});

test.each(blocks.map((block) => [`${block.file}:${block.line}`, block] as const))(
  'the configuration at %s is valid and starts this server',
  (_, block) => expectServers(block),
);

test.each(clients)(
  'the entry that connect prints for $title is valid and starts this server',
  async (client) => {
    const { stdout } = await runHere(['connect', client.id, '--print']);
    expectServers({ language: fileFormat(client), text: stdout });
  },
);

test.each(clients.filter(({ isConnector }) => !isConnector))(
  'the entry of $title for a server over HTTP is valid',
  async ({ id, ...client }) => {
    const url = 'https://mcp.example.com/mcp';
    const { stdout } = await runHere(['connect', id, '--url', url, '--print']);
    expect(read({ language: fileFormat(client), text: stdout })).toBeDefined();
  },
);

/** What follows the program itself, behind what the launcher needs. */
function serverArguments(command: string, args: readonly string[]): readonly string[] {
  if (command === process.execPath) {
    expect(args[0]).toBe(binary);
    return args.slice(1);
  }
  const launchers: Record<string, RegExp> = {
    ...(packageJson.published && { npx: new RegExp(`^-y ${packageJson.name}(?= |$)`) }),
    node: /^\/absolute\/path\/\S+\/dist\/cli\.js\b/,
  };
  const launcher = launchers[command]?.exec(args.join(' '))?.[0];
  expect(launcher, `${command} ${args.join(' ')}`).toBeDefined();
  return args.slice(launcher?.split(' ').length);
}
