/** The entries of docs/clients.md and of README can be read, start this server and name settings that there are. */
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { readCommandLine } from '../../src/cli/arguments.ts';
import { listSettings, readConfig } from '../../src/config.ts';
import { isRecord, type JsonObject } from '../../src/core/json.ts';
import { type Fenced, fencedBlocks } from './markdown.ts';

const blocks = [...fencedBlocks('docs/clients.md'), ...fencedBlocks('README.md')].filter(
  ({ language, text }) =>
    language === 'toml' || (/^(json|yaml)$/.test(language) && /servers|extensions/i.test(text)),
);

function read({ language, text }: Fenced): JsonObject {
  if (language === 'toml') return parseToml(text);
  return language === 'yaml' ? parseYaml(text) : JSON.parse(text);
}

/** The servers that an entry starts; those that it reaches by an address have no command. */
function started(block: Fenced): { words: string[]; env: Record<string, string> }[] {
  const { mcpServers, mcp_servers, servers, extensions } = read(block);
  const entries = Object.values(mcpServers ?? mcp_servers ?? servers ?? extensions ?? {});
  expect(entries.length).toBeGreaterThan(0);
  return entries.filter(isRecord).flatMap(({ command, cmd, args, env, envs }) => {
    const program = command ?? cmd;
    if (program === undefined || !Array.isArray(args)) return [];
    const variables = Object.entries(Object(env ?? envs)).map(([name, value]) => [
      name,
      // Clients fill ${NAME}, ${env:NAME}, $NAME and ${input:name} in; here a value stands for each.
      /^\$(\{(env:|input:)?([\w-]+)\}|[A-Z_]+)$/.test(String(value))
        ? 'https://filled.example.com'
        : String(value),
    ]);
    return [{ words: [String(program), ...args.map(String)], env: Object.fromEntries(variables) }];
  });
}

describe('the configuration of a client', () => {
  test('is shown for each client', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(10);
  });

  test.each(blocks.map((block) => [`${block.file}:${block.line}`, block] as const))(
    'at %s is valid and starts this server',
    (_, block) => {
      for (const { words, env } of started(block)) {
        const launcher = packageJson.published
          ? new RegExp(`^(npx -y ${packageJson.name}|node /absolute/path/\\S+/dist/cli\\.js)( |$)`)
          : /^node \/absolute\/path\/\S+\/dist\/cli\.js( |$)/;
        expect(words.join(' ')).toMatch(launcher);
        const line = readCommandLine(words.slice(words[0] === 'npx' ? 3 : 2));
        if (line?.command !== 'stdio') expect.unreachable(words.join(' '));
        const known = listSettings().map(({ setting }) => setting.variable);
        const names = Object.keys(env).map((name) => name.replace(/_FILE$/, ''));
        expect(known).toEqual(expect.arrayContaining(names));
        // Without the sandbox, the settings have to be all that is needed.
        if (!line.switches.has('sandbox')) readConfig({ env, readFile: () => 'a secret' });
      }
      // VS Code asks for each input that is used, and for no other.
      const used = [...block.text.matchAll(/\$\{input:([\w-]+)\}/g)].map(([, id]) => id);
      const { inputs = [] } = read(block);
      expect(Array.isArray(inputs) && inputs.map(({ id }) => id)).toEqual(used);
    },
  );
});
