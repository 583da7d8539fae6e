import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { readCommandLine } from '../../src/cli/run-command-line.ts';
import { readConfig, settings } from '../../src/config/config.ts';
import { type Fenced, fencedBlocks } from './markdown.ts';

/** A server that a client starts, in the words that all of them share. */
const started = z.strictObject({
  type: z.literal('stdio').optional(),
  command: z.enum(['npx', 'node']),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()).optional(),
});

/** The same in the words of Goose. */
const extension = z
  .looseObject({
    type: z.literal('stdio'),
    enabled: z.literal(true),
    cmd: z.enum(['npx', 'node']),
    args: z.array(z.string()),
    envs: z.record(z.string(), z.string()),
  })
  .transform(({ cmd, args, envs }) => ({ command: cmd, args, env: envs }));

/** A server that a client reaches, in the words of Gemini CLI and Codex. */
const reached = z.union([
  z.strictObject({ httpUrl: z.url(), headers: z.record(z.string(), z.string()) }),
  z.strictObject({ url: z.url(), bearer_token_env_var: z.string() }),
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

const blocks = [...fencedBlocks('docs/clients.md'), ...fencedBlocks('README.md')].filter(
  ({ language, text }) =>
    language === 'toml' || (/^(json|yaml)$/.test(language) && /servers|extensions/i.test(text)),
);

function read({ language, text }: Fenced): z.output<typeof configuration> {
  if (language === 'toml') return configuration.parse(parseToml(text));
  return configuration.parse(language === 'yaml' ? parseYaml(text) : JSON.parse(text));
}

/** The file that an entry names is not here. */
function withFileOfSecret(env: Record<string, string>) {
  const secret = 'COMMERCE_CLIENT_SECRET_FILE' in env && { COMMERCE_CLIENT_SECRET: 'a secret' };
  return { ...env, ...secret };
}

describe('the configuration of a client', () => {
  test('a configuration is shown for each client', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(10);
  });

  test.each(blocks.map((block) => [`${block.file}:${block.line}`, block] as const))(
    'the configuration at %s is valid and starts this server',
    (_, block) => {
      for (const server of Object.values(read(block)).flatMap(Object.values<Server>)) {
        if (!('command' in server)) continue;
        const { command, args, env = {} } = server;
        const rest = serverArguments(command, args);
        const line = readCommandLine(rest);
        if (line?.command !== 'stdio') expect.unreachable(rest.join(' '));
        const known = settings.map(({ variable }) => variable);
        const names = Object.keys(env).map((name) => name.replace(/_FILE$/, ''));
        expect(known).toEqual(expect.arrayContaining(names));
        // Without the sandbox, the settings have to be all that is needed.
        if (!line.flags.sandbox) readConfig({ env: withFileOfSecret(withoutReferences(env)) });
      }
    },
  );
});

/** What follows the program itself, behind what the launcher needs. */
function serverArguments(command: string, args: readonly string[]): readonly string[] {
  const launchers: Record<string, RegExp> = {
    ...(packageJson.published && { npx: new RegExp(`^-y ${packageJson.name}(?= |$)`) }),
    node: /^\/absolute\/path\/\S+\/dist\/cli\.js\b/,
  };
  const launcher = launchers[command]?.exec(args.join(' '))?.[0];
  expect(launcher, `${command} ${args.join(' ')}`).toBeDefined();
  return args.slice(launcher?.split(' ').length);
}

/** Clients fill `${NAME}`, `${env:NAME}`, `$NAME` and `${input:name}` in; here a value stands for each. */
function withoutReferences(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      const reference = /^\$(\{(env:|input:)?([\w-]+)\}|[A-Z_]+)$/.test(value);
      return [name, reference ? 'https://filled.example.com' : value];
    }),
  );
}
