import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { isRecord } from '../../src/core/json.ts';
import { warningCodes } from '../../src/core/message.ts';
import { runHere } from '../cli/run-here.ts';
import { anOrder } from '../samples.ts';
import { serverOver, sharedServer } from '../server-over.ts';
import { folderWith } from '../setup/folder.ts';

const pages = readdirSync('docs').filter((file) => file.endsWith('.md'));
const documents = ['README.md', 'CONTRIBUTING.md', ...pages.map((it) => `docs/${it}`)];

/** The text between the marks of a section. */
function section(file: string, name: string): string {
  const [, inner] = readFileSync(file, 'utf8').split(new RegExp(`<!-- /?${name} -->`));
  return inner ?? expect.unreachable(`no section ${name}`);
}

/** The text of all source files. */
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(join('src', path), 'utf8'))
  .join('\n');

test.each(
  section('docs/troubleshooting.md', 'troubleshooting').match(/(?<=^\| `)[^`]+(?=` \|)/gm) ?? [],
)('the troubleshooting table explains a text that the server says: %s', (text) => {
  expect(sources.includes(text), `no file of src says: ${text}`).toBe(true);
});

test('the changelog begins with the version that the package has', () => {
  const [, latest] = /^## (\S+)/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
  expect(latest).toBe(packageJson.version);
});

test('the dependency table gives the reason for each library, and for no other', () => {
  const { devDependencies, optionalDependencies } = packageJson;
  const cells =
    section('docs/architecture.md', 'dependencies').match(/(?<=^\| `).*?(?=` \|)/gm) ?? [];
  const libraries = Object.keys({ ...devDependencies, ...optionalDependencies });
  expect(cells.flatMap((cell) => cell.split('`, `')).sort()).toEqual(libraries.sort());
});

/** The headings of a page, as links name them. */
function headingsOf(page: string): string[] {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** A place of the documentation that nothing has: a file, or a heading of a page. */
function isMissing(path: string, heading: string | undefined): boolean {
  if (!existsSync(path)) return true;
  return heading !== undefined && !headingsOf(path).includes(heading);
}

test.each(documents)('links lead somewhere in %s', (file) => {
  const links = readFileSync(file, 'utf8').matchAll(/\]\((?!https?:)([^)#]*)#?([^)]+)?\)/g);
  for (const [link, path = '', heading] of links) {
    const target = path === '' ? file : join(dirname(file), path);
    expect(isMissing(target, heading), `${file}: ${link}`).toBe(false);
  }
});

test('sources and files to deploy name pages and headings of docs that there are', () => {
  const deployed = readdirSync('deploy').map((file) => readFileSync(join('deploy', file), 'utf8'));
  const names = [sources, ...deployed].join('\n').matchAll(/\b(docs\/\w+\.md)(?:#([\w-]+))?/g);
  const wrong = [...names].filter(([, path = '', heading]) => isMissing(path, heading));
  expect(wrong.map(([name]) => name)).toEqual([]);
});

const { ask } = sharedServer();
const named = sharedServer({ account: 'utrecht' });

test('docs/answers.md documents every key of the context, and no other', async () => {
  const measures = ['revenue.margin.percentage'];
  const folder = folderWith({ 'tables/days.csv': 'day,note\n2026-11-12,roadworks\n' });
  const noting = await serverOver('memory', { settings: { COMMERCE_DEFINITIONS: folder } });
  const answers = [
    await ask('list_orders', { period: 'today', shop_id: 'Webshop', all: true }),
    await ask('list_orders', { period: 'last_week', limit: 2, sort: 'id' }),
    await ask('compare_turnover', { period: 'last_week', by: 'shop' }),
    await named.ask('list_shops'),
    await ask('list_shops'),
    await ask('list_shops'),
    await ask('query', { sql: 'FROM shops' }),
    await ask('list_order_changes', { since: 'yesterday' }),
    await ask('compare_turnover', { period: 'last_week', measures }),
    await noting.ask('compare_turnover', { period: '2026-11-19', against: 'usual' }),
    await ask('list_orders', { period: '2026-11-02..2026-11-04', all: true }),
    await ask('list_order_items', { order_id: anOrder(noting.sandbox.world) }),
  ];
  const [, table = ''] = readFileSync('docs/answers.md', 'utf8').split('`context`:');
  const [rows = ''] = table.split('###');
  const documented = [...rows.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key);
  const seen = new Set(answers.flatMap(({ context }) => Object.keys(context)));
  expect([...seen].sort()).toEqual(documented.sort());
  const kept = answers[0]?.context.result;
  expect(isRecord(kept) ? Object.keys(kept) : []).toEqual(
    rows.match(/`result`.*?`\{(.*?)\}`/)?.[1]?.split(', '),
  );
});

test('docs/answers.md, and docs/statements.md for statements, say once what each warning means', () => {
  const tables = [
    /### Warnings\n(.*?)\n### /s.exec(readFileSync('docs/answers.md', 'utf8')),
    /## Statements that mislead\n(.*?)\n## /s.exec(readFileSync('docs/statements.md', 'utf8')),
  ].map((found) => found?.[1] ?? '');
  const cells = tables.join('\n').match(/(?<=^\| `)[\w`, ]+(?=` \| \S)/gm) ?? [];
  const documented = cells.flatMap((cell) => cell.split('`, `'));
  expect(documented.sort()).toEqual([...warningCodes].sort());
});

/**
 * Words that fetch a package from a registry, and the package. The bare name belongs to somebody else, whose package would
 * be started with an API secret in its environment.
 */
const fetching =
  /\b(?:npx|npm (?:i|install|exec|add|init)|pnpm (?:dlx|add)|yarn (?:dlx|add)|bunx|bun (?:x|add)|deno run)\b[^\n]{0,60}?(?:"\s*,\s*"|\s)((?:@commerce-mcp\/|npm:)?(?:commerce-mcp|server)\b(?!\.mcpb)[^\s"'`]*)/g;

/** Packages that a text tells people to fetch and must not. */
function wronglyFetched(text: string): string[] {
  // Entries of clients have their words on lines of their own.
  const line = text.replaceAll(/",\s*"/g, '", "').replaceAll(/"args": \[\s*"/g, '"args": ["');
  return [...line.replaceAll(/"command": "npx",\s*/g, 'npx ').matchAll(fetching)]
    .map(([, name = '']) => name)
    .filter((name) => !(packageJson.published && name === packageJson.name));
}

const texts = [...documents, 'CHANGELOG.md', 'manifest.json', 'server.json']
  .concat(readdirSync('prompts').map((file) => join('prompts', file)))
  .map((file) => readFileSync(file, 'utf8'));

test('documents, prompts and sources fetch no name of ours from a registry', () => {
  expect([sources, ...texts].flatMap(wronglyFetched)).toEqual([]);
});

// Texts that are composed where they are printed.
test.each<[args: string[]]>([
  [['--help']],
  [['connect', 'cursor', '--print']],
  [['connect', 'goose', '--print']],
  [['stdio']],
  [['doctor']],
])('the output of %j fetches no name of ours from a registry', async (args) => {
  const { stdout, stderr } = await runHere(args);
  expect(stdout + stderr).not.toBe('');
  expect(wronglyFetched(stdout + stderr)).toEqual([]);
});
