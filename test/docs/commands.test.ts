import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readCommandLine } from '../../src/cli/run-command-line.ts';
import { readConfig, readServerConfig } from '../../src/config/config.ts';
import { runHere } from '../cli/run-here.ts';
import { entryOf } from '../mcp/http/accounts-server.ts';
import { sandboxAt } from '../server-over.ts';
import { folderWith } from '../setup/folder.ts';
import { account, type Sandbox } from '../spawn.ts';
import { fencedBlocks } from './markdown.ts';

const pages = readdirSync('docs').map((it) => `docs/${it}`);
const documents = ['README.md', 'CONTRIBUTING.md', ...pages];

/** Every command that the documentation shows: continued lines joined, remarks left out. */
const commands = documents
  .flatMap(fencedBlocks)
  .filter(({ language }) => /^(sh|bash|shell|console)$/.test(language))
  .flatMap(({ file, text }) =>
    text
      .replace(/\\\n\s*/g, '')
      .split('\n')
      .map((line) => line.replace(/(^|\s+)#.*$/, '').trim())
      .filter((line) => line !== '')
      .map((line) => ({ file, line })),
  );

/**
 * Commands that run elsewhere: those of npm in .ci/run; questions to a person, fills and sign-ins in test/cli/; a scripted
 * model in test/eval/.
 */
const elsewhere =
  /^(npm |export COMMERCE_(?:KEEP_DIR|ACCOUNTS_FILE)=|node dist\/cli\.js (connect cursor(?!.*--print)|doctor cursor|fill |sign-ins)|call get_daily_close date=yesterday$)/;

/** Commands of other programs, which their own documentation explains. */
const foreign =
  /^(docker compose|systemd-run|systemctl|groupadd|git clone|install|cp|ln -sfn|\(umask 027|curl \S+\/readyz$)/;

/** The request that test/docs/http.test.ts sends as it stands, to the server that the page starts. */
const firstRequest = /^curl http:\/\/127\.0\.0\.1:8787\/mcp /;

/** A call of this program: from a clone, or of the published package. */
const program = new RegExp(
  `^((?:\\w+=\\S+ )*)(?:node dist/cli\\.js|npx -y ${packageJson.name})(?: |$)`,
);

/** Each command once: pages repeat what the README shows. */
const ours = [...new Map(commands.map((command) => [command.line, command])).values()].filter(
  ({ line }) => program.test(line) && !elsewhere.test(line),
);

/** A command of ours: variables before it, arguments behind it. */
function parse(line: string): { settings: Record<string, string>; args: string[] } {
  const [begin = '', before = ''] = program.exec(line) ?? [];
  const settings = [...before.matchAll(/(\w+)=('[^']*'|\S+)/g)].map(
    ([, name = '', value = '']) => [name, value.replaceAll("'", '')] as const,
  );
  const words = [...line.slice(begin.length).matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(
    ([word]) => word.replace(/(['"])(.*?)\1/g, '$2'),
  );
  const into = words.indexOf('>');
  const args = into < 0 ? words : words.slice(0, into);
  return { settings: Object.fromEntries(settings), args };
}

describe('a command in the documentation', () => {
  let sandbox: Sandbox;
  const home = folderWith();

  beforeAll(async () => {
    sandbox = await sandboxAt({ now: Date.now });
    const accounts = { utrecht: entryOf(sandbox), 'head-office': entryOf(sandbox) };
    writeFileSync(join(home, 'accounts.yaml'), JSON.stringify({ accounts }));
  });

  test('each command of the documentation is run by a test, or belongs to another program', () => {
    const known = [program, elsewhere, foreign, firstRequest];
    const others = commands.filter(({ line }) => !known.some((pattern) => pattern.test(line)));
    expect(others).toEqual([]);
    expect(ours.length).toBeGreaterThan(10);
  });

  test.each(ours)('the command works as it stands: $line ($file)', async ({ line, file }) => {
    const { settings, args } = parse(line);
    const command = readCommandLine(args)?.command;
    const several = { COMMERCE_ACCOUNTS_FILE: join(home, 'accounts.yaml') };
    const own = file === 'docs/accounts.md' ? several : account(sandbox);
    // docs/lines.md exports its folder once for all its commands.
    const folder = file === 'docs/lines.md' && { COMMERCE_KEEP_DIR: home };
    const env = { ...own, ...folder, HOME: home, USERPROFILE: home, ...settings };
    // A server would not end: test/docs/http.test.ts and test/mcp/ start one.
    if (command === 'http' || command === 'sandbox' || command === 'stdio')
      return void (file === 'docs/accounts.md' ? readServerConfig({ env }) : readConfig({ env }));
    // A file is written beside the clients of this test.
    const aside = args.map((arg) => (/\.(csv|xlsx)$/.test(arg) ? join(home, arg) : arg));
    const { code, stdout, stderr } = await runHere(aside, env);
    const [written = ''] = /^Written: .*\n/m.exec(stderr) ?? [];
    // A file of rows is followed by notes on stderr, and an entry by the file that it belongs into.
    const others = stderr.replace(written, '').replace('source: sandbox, invented figures\n', '');
    if (command !== 'connect') expect(others).toBe('');
    expect(stdout + written).not.toBe('');
    expect(code).toBe(0);
  });
});
