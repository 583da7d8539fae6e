import { describe, expect, test } from 'vitest';
import { contentOf, withEntry, withoutEntry } from '../../../../src/cli/commands/connect/change.ts';
import { clients } from '../../../../src/cli/commands/connect/clients.ts';
import { BrokenFileError } from '../../../../src/cli/commands/connect/formats/format.ts';
import { json } from '../../../../src/cli/commands/connect/formats/json.ts';
import { toml } from '../../../../src/cli/commands/connect/formats/toml.ts';
import { yaml } from '../../../../src/cli/commands/connect/formats/yaml.ts';
import { isRecord } from '../../../../src/core/json.ts';
import { entryFor, fixtures } from './fixtures.ts';

const formats = { json, toml, yaml };
const each = fixtures.map((fixture) => [fixture.id, fixture] as const);

/** The forms in which the same file may lie on a disk. */
const forms: [string, (text: string) => string][] = [
  ['as it is', (text) => text],
  ['with the line ends of Windows', (text) => text.replaceAll('\n', '\r\n')],
  ['with a byte order mark', (text) => `\ufeff${text}`],
  ['without a last line end', (text) => text.trimEnd()],
];

describe.each(forms)('a configuration %s', (_, form) => {
  test.each(each)('of %s keeps every line of its own', (_id, { client, text }) => {
    const before = form(text);
    const after = withEntry(client, before, entryFor(client));
    const lines = after.split('\n');
    for (const line of before.split('\n'))
      expect(lines.map((it) => it.replace(/,(?=\s*(\/\/|\r?$))/, '').trimEnd())).toContain(
        line.replace(/,(?=\s*(\/\/|\r?$))/, '').trimEnd(),
      );
    if (before.includes('\r\n')) expect(after).not.toMatch(/[^\r]\n/);
  });

  test.each(each)('of %s reads as before, with the entry in it', (_id, { client, text }) => {
    const before = form(text);
    const entry = entryFor(client);
    const { parse } = formats[client.format];
    const read = parse(withEntry(client, before, entry).replace(/^\ufeff/, ''));
    const { [client.servers]: servers, inputs } = read;
    expect(isRecord(servers) && servers.commerce).toEqual(contentOf(client, entry));
    if (client === clients.vscode)
      expect(inputs).toContainEqual(client.reference?.input?.('commerce'));
  });

  test.each(each)(
    'of %s is the same again when the entry is taken out',
    (_id, { client, text }) => {
      const before = form(text);
      const after = withoutEntry(client, withEntry(client, before, entryFor(client)), 'commerce');
      expect(after.trimEnd()).toBe(before.trimEnd());
    },
  );

  test.each(each)(
    'of %s stays the same when the entry is put in twice',
    (_id, { client, text }) => {
      const once = withEntry(client, form(text), entryFor(client));
      expect(withEntry(client, once, entryFor(client))).toBe(once);
    },
  );
});

describe('an entry', () => {
  test.each(each)(
    'of %s that is there already is replaced where it stands',
    (_id, { client, text }) => {
      const entry = entryFor(client);
      const old = { ...entry, server: { ...entry.server, command: 'an-older-node' } };
      const between = withEntry(client, withEntry(client, text, old), entryFor(client, 'second'));
      expect(withEntry(client, between, entry)).toBe(
        withEntry(client, withEntry(client, text, entry), entryFor(client, 'second')),
      );
    },
  );

  test.each(each)('of %s goes into an empty or absent file', (_id, { client }) => {
    const entry = entryFor(client);
    for (const empty of ['', '\n', '  \n']) {
      const read = formats[client.format].parse(withEntry(client, empty, entry));
      expect(read[client.servers]).toEqual({ commerce: contentOf(client, entry) });
    }
  });

  test.each(each)(
    'of %s that is not there leaves the file alone when taken out',
    (_id, { client, text }) => {
      expect(withoutEntry(client, text, 'commerce')).toBe(text);
    },
  );
});

describe('a file that cannot be changed safely', () => {
  test.each([
    ['cursor', '{ "mcpServers": { "a": }'],
    ['cursor', '[]'],
    ['cursor', '"text"'],
    ['cursor', '{ "mcpServers": [] }'],
    ['cursor', '{ "mcpServers": "none" }'],
    ['codex', 'model = \n[mcp_servers'],
    ['codex', 'mcp_servers = 3'],
    ['codex', 'mcp_servers = { other = { command = "x" } }'],
    ['goose', 'extensions: [1, 2'],
    ['goose', '- a\n- b\n'],
    ['goose', 'a: 1\n  b: 2\n'],
  ] as const)('of %s is refused: %s', (id, text) => {
    expect(() => withEntry(clients[id], text, entryFor(clients[id]))).toThrow(BrokenFileError);
  });

  test('is named by the line that is wrong', () => {
    const text = '{\n  "mcpServers": {\n    "a" 1\n  }\n}\n';
    expect(() => withEntry(clients.cursor, text, entryFor(clients.cursor))).toThrow(/^line 3: /);
  });
});

describe('unusual forms', () => {
  test.each([
    ['cursor', '{}'],
    ['cursor', '{"mcpServers":{}}'],
    ['cursor', '{"mcpServers":{"a":{"command":"x"}},"theme":"x"}'],
    ['cursor', '{ // nothing yet\n}\n'],
    ['cursor', '{"mcpServers": null}'],
    ['vscode', '{"inputs":[],"servers":{}}'],
    ['codex', '# only a remark\n'],
    ['codex', '[mcp_servers]\n\n[mcp_servers."a.b"]\ncommand = "x"\n'],
    ['goose', '# only a remark\n'],
    ['goose', 'extensions: {}\n'],
    ['goose', 'extensions:\n'],
    ['goose', 'extensions: { a: { enabled: true } } # in one line\nb: 1\n'],
  ] as const)('of %s take an entry and give it back: %j', (id, text) => {
    const client = clients[id];
    const { parse } = formats[client.format];
    const after = withEntry(client, text, entryFor(client));
    for (const remark of text.match(/(#|\/\/).*/g) ?? []) expect(after).toContain(remark);
    const given = parse(withoutEntry(client, after, 'commerce'));
    expect(Object.keys(given[client.servers] ?? {})).not.toContain('commerce');
    expect({ ...given, [client.servers]: null, inputs: null }).toEqual({
      ...parse(text),
      [client.servers]: null,
      inputs: null,
    });
  });
});
