import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCommandLine } from '../../src/cli/arguments.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { account, binary, environment, run } from '../mcp/spawn.ts';
import { fencedBlocks } from './markdown.ts';

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs').map((it) => `docs/${it}`),
];

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

/** Commands that are not run here, each with the reason. */
const elsewhere: Record<string, string> = {
  'npm ci --no-audit --no-fund && npm run --silent demo': 'run by .ci/run, as it stands',
  'npm ci --no-audit --no-fund && npm test': 'run by .ci/run, as it stands',
  'npm ci': 'begins the commands that .ci/run reads from the README',
  'npm test': 'is what runs this',
  'npm run check': 'run by .ci/run',
  'npm run bundle': 'fetches its packer; test/package/bundle.test.ts drives what goes into it',
  'npm run docs': 'npm run check runs it with --check',
};

/** What belongs to another program: its own documentation is the judge of it. */
const foreign = /^claude mcp add /;

const ours = commands.filter(
  ({ line }) => /(^|\s)commerce-mcp(\s|$)/.test(line) && !foreign.test(line),
);

/** A command of ours: variables before it, arguments behind it. */
function parse(line: string): { settings: Record<string, string>; args: string[] } {
  const words = [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/(['"])(.*?)\1/g, '$2'),
  );
  const at = words.indexOf('commerce-mcp');
  const settings = words.slice(0, at).flatMap((word) => {
    const [, name, value] = /^(\w+)=(.*)$/.exec(word) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  const args = words.slice(at + 1);
  const into = args.indexOf('>');
  return {
    settings: Object.fromEntries(settings),
    args: into < 0 ? args : args.slice(0, into),
  };
}

describe('a command in the documentation', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });

  afterAll(() => sandbox.close());

  test.each(commands)('is run by a test or has a reason not to be: $line ($file)', ({ line }) => {
    const isKnown =
      line in elsewhere || foreign.test(line) || ours.some((command) => command.line === line);
    expect(isKnown, `${line}: neither ours nor excused`).toBe(true);
  });

  test('is excused only while it is there', () => {
    const shown = commands.map(({ line }) => line);
    expect(Object.keys(elsewhere).filter((line) => !shown.includes(line))).toEqual([]);
  });

  test.each(ours)('works as it stands: $line ($file)', async ({ line }) => {
    const { settings, args } = parse(line);
    const { command } = readCommandLine(args);
    const env = { ...account(sandbox), ...settings };
    if (command === 'http' || command === 'sandbox' || command === 'stdio') {
      expect(await serves(args, env)).toContain('http://');
      return;
    }
    const { code, stdout, stderr } = await run(args, env);
    // What a file of rows cannot say of itself.
    expect(stderr.replace('source: sandbox, invented figures\n', '')).toBe('');
    expect(stdout).not.toBe('');
    expect(code).toBe(0);
  });
});

/** What a server says once it serves; it is stopped then. A port is any free one. */
async function serves(args: readonly string[], settings: Record<string, string>): Promise<string> {
  const anyPort = args.map((word, index) => (args[index - 1] === '--port' ? '0' : word));
  const port = anyPort.includes('--port') || args.includes('sandbox') ? [] : ['--port', '0'];
  const child = spawn(process.execPath, [binary, ...anyPort, ...port], {
    env: environment(settings),
  });
  let said = '';
  let isAsked = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      if (isAsked || !said.includes('http://')) return;
      isAsked = true;
      child.kill('SIGTERM');
    });
  const [code] = await once(child, 'close');
  expect(code, said).toBe(0);
  return said;
}
