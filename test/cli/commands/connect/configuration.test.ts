import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  clients,
  fileFormat,
  fileOf,
  type Machine,
  readClient,
} from '../../../../src/cli/commands/connect/clients.ts';
import {
  editEntry,
  entryOf as entryFor,
  readServers,
  renderEntry,
} from '../../../../src/cli/commands/connect/configuration.ts';

/** The entry of a client for an account. */
function entryOf(id: string, name = 'commerce') {
  const env = { COMMERCE_BASE_URL: 'https://api.example.com', COMMERCE_CLIENT_ID: 'ck_acme.7' };
  const args = ['/home/ada/commerce "mcp"/dist/cli.js'];
  const command = 'C:\\Program Files\\nodejs\\node.exe';
  return entryFor(readClient(id), name, { command, args, env });
}

function withEntry(text: string, entry: ReturnType<typeof entryOf>): string {
  return editEntry(text, entry, entry.content);
}

/** A configuration of somebody who uses the client, in the forms of its documentation. */
function fixtureOf(id: string): string {
  const url = new URL(`./fixtures/${id}.${fileFormat(readClient(id))}`, import.meta.url);
  return readFileSync(url, 'utf8');
}

const editable = clients.flatMap((client) => (fileFormat(client) === 'json' ? [client.id] : []));

test.each(editable)(
  'the configuration of %s takes an entry, keeps everything else, and gives it back',
  (id) => {
    const before = fixtureOf(id);
    const after = withEntry(before, entryOf(id));
    const { commerce, ...others } = readServers(readClient(id), after);
    expect(commerce).toEqual(entryOf(id).content);
    expect(others).toEqual(readServers(readClient(id), before));
    expect(withEntry(after, entryOf(id))).toBe(after);
    const gone = editEntry(after, entryOf(id), undefined);
    expect(readServers(readClient(id), gone)).toEqual(others);
    expect(editEntry(gone, entryOf(id), undefined)).toBe(gone);
    for (const remark of before.match(/\/[/*] .*/g) ?? [])
      for (const text of [after, gone]) expect(text).toContain(remark.trim());
  },
);

test.each(clients.map(({ id }) => id))('an entry of %s is written as its client reads it', (id) => {
  const servers = readServers(readClient(id), renderEntry(entryOf(id)));
  expect(servers).toEqual({ commerce: entryOf(id).content });
  expect(Object.keys(readServers(readClient(id), fixtureOf(id)))).not.toEqual([]);
});

test.each([
  ['an empty file', ''],
  ['an empty object', '{ // nothing yet\n}\n'],
  ['a file with an older one', '{"mcpServers":{"commerce":{"command":"old"},"second":{}}}'],
  ['a file that is indented by tabs', '{\n\t"mcpServers": {\n\t\t"a": {} // zoo\n\t}\n}'],
  ['a file with commas behind the last', '{"mcpServers":{"zoo":{"command":"x"},},}'],
  ['a file of Windows', '{\r\n    "mcpServers": {\r\n        "a": {}\r\n    }\r\n}\r\n'],
  ['a file with a byte-order mark', '\ufeff{"mcpServers":{"zoo":{"command":"x"}}}'],
])('an entry is put into %s in its form, beside every other value', (_, before) => {
  const entry = entryOf('cursor');
  const after = withEntry(before, entry);
  const { commerce: __, ...others } = readServers(entry.client, before);
  const servers = readServers(entry.client, after);
  expect(servers).toEqual({ ...others, commerce: entry.content });
  expect(readServers(entry.client, editEntry(after, entry, undefined))).toEqual(others);
  for (const remark of before.match(/\/\/ [\w ]+/g) ?? []) expect(after).toContain(remark);
  expect(after).not.toContain('\ufeff');
  if (before.includes('\r\n')) expect(after).not.toMatch(/[^\r]\n/);
  if (before.includes('\t')) expect(after).toMatch(/\n\t\t"commerce"/);
});

const twice = '{"mcpServers":{"commerce":{"command":"first"},"commerce":{"command":"last"}}}';

test.each<[string, string, RegExp]>([
  ['cursor', '{\n  "mcpServers": {\n    "a" 1\n  }\n}\n', /unreadable_entries.*"line":3/],
  ['cursor', '[]', /"key":"mcp_?[sS]ervers"/],
  ['cursor', '{ "mcpServers": [] }', /"key":"mcp_?[sS]ervers"/],
  ['cursor', 'null', /"key":"mcpServers"/],
  ['vscode', '{ "servers": null }', /"key":"servers"/],
  ['cursor', twice, /"repeated":"mcpServers.commerce"/],
  ['cursor', '{ "mcpServers": {}, "mcpServers": {} }', /"repeated":"mcpServers.commerce"/],
  ['codex', 'mcp_servers = 3', /"key":"mcp_?[sS]ervers"/],
  ['codex', 'model = \n[mcp_servers', /TOML/],
  ['goose', 'extensions: [1, 2', /line 1/],
])('an entry is not put into a broken file of %s: %j', (id, text, says) => {
  expect(() => withEntry(text, entryOf(id))).toThrow(says);
});

const machines: Machine[] = [
  { platform: 'linux', env: {}, home: '/home/ada' },
  { platform: 'darwin', env: {}, home: '/Users/ada' },
  { platform: 'win32', env: { APPDATA: 'C:\\Roaming' }, home: 'C:\\Users\\ada' },
];

const [linux, mac, windows] = ['/home/ada', '/Users/ada', 'C:/Users/ada'];
const inHome = (path: string) => [linux, mac, windows].map((home) => `${home}/${path}`);
const ofApp = (path: string) => [
  ...[`${linux}/.config/${path}`, `${mac}/Library/Application Support/${path}`],
  `C:/Roaming/${path}`,
];
const ofGoose = [linux, mac].map((home) => `${home}/.config/goose/config.yaml`);

test.each<[string, paths: string[]]>([
  ['claude-desktop', ofApp('Claude/claude_desktop_config.json')],
  ['vscode', ofApp('Code/User/mcp.json')],
  ['goose', [...ofGoose, 'C:/Roaming/Block/goose/config/config.yaml']],
  ['claude-code', inHome('.claude.json')],
  ['cursor', inHome('.cursor/mcp.json')],
  ['windsurf', inHome('.codeium/windsurf/mcp_config.json')],
  ['codex', inHome('.codex/config.toml')],
  ['gemini', inHome('.gemini/settings.json')],
  ['antigravity', inHome('.gemini/config/mcp_config.json')],
])('the configuration of %s lies where its documentation says', (id, paths) => {
  const found = machines.map((machine) => fileOf(readClient(id), machine));
  const asWindows = (path: string) => path.replaceAll('/', '\\');
  expect(found).toEqual(paths.map((it) => (it.startsWith('C:') ? asWindows(it) : it)));
});

test("Windows' Store build of Claude Desktop reads a folder of its package", () => {
  const local = 'C:\\Local';
  const store: Machine = {
    ...{ platform: 'win32', home: 'C:\\Users\\ada' },
    env: { APPDATA: 'C:\\Roaming', LOCALAPPDATA: local },
    listFolder: (folder) => (folder === `${local}/Packages` ? ['Cla', 'Claude_pzs8sxrjxfjjc'] : []),
  };
  expect(fileOf(readClient('claude-desktop'), store)).toBe(
    `${local}\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json`,
  );
  expect(fileOf(readClient('vscode'), store)).toBe('C:\\Roaming\\Code\\User\\mcp.json');
});

test('the path of a configuration follows the variables that move it', () => {
  const env = { XDG_CONFIG_HOME: '/x', CODEX_HOME: '/c', CLAUDE_CONFIG_DIR: '/d' };
  const moved: Machine = { platform: 'linux', env, home: '/home/ada' };
  expect(fileOf(readClient('goose'), moved)).toBe('/x/goose/config.yaml');
  expect(fileOf(readClient('codex'), moved)).toBe('/c/config.toml');
  expect(fileOf(readClient('claude-code'), moved)).toBe('/d/.claude.json');
});
