import { expect, test } from 'vitest';
import { readClient } from '../../../../src/cli/commands/connect/clients.ts';
import { readEntry, rewriteEntry } from '../../../../src/cli/commands/connect/entries.ts';
import { programPath } from '../../../../src/cli/program.ts';
import type { JsonObject } from '../../../../src/core/json.ts';

const program = programPath();
const node = { command: '/usr/bin/node', args: [program] };
const account = { COMMERCE_CLIENT_ID: 'ck.7', COMMERCE_CLIENT_SECRET_FILE: '/7.secret' };
const fresh = { ...node, env: account };
const url = 'https://mcp.example.com/mcp';
const headers = { Authorization: 'Bearer new' };

test.each<[string, before: unknown, after: JsonObject, written: JsonObject]>([
  ['nothing', undefined, fresh, fresh],
  ['no object', 'a note', fresh, fresh],
  [
    'variables and keys',
    { ...node, env: { HTTPS_PROXY: 'http://p', COMMERCE_CLIENT_ID: 'ck.6' }, disabled: true },
    fresh,
    { ...node, env: { HTTPS_PROXY: 'http://p', ...account }, disabled: true },
  ],
  [
    'the secret of another account',
    { ...node, env: { COMMERCE_CLIENT_SECRET: 'x', COMMERCE_BASE_URL: 'https://a.example' } },
    { ...node, env: { COMMERCE_ACCOUNTS_FILE: '/accounts.yaml' } },
    { ...node, env: { COMMERCE_ACCOUNTS_FILE: '/accounts.yaml' } },
  ],
  [
    'flags of a moved program and of Node',
    {
      ...node,
      args: ['--use-system-ca', `/old/${program.split('/').at(-1)}`, '--log-level=debug'],
    },
    fresh,
    { ...fresh, args: ['--use-system-ca', program, '--log-level=debug'] },
  ],
  [
    'flags but those that are given anew',
    {
      ...node,
      args: [program, 'stdio', '--max-rows', '5', '--account', 'utrecht', '--toolsets=orders'],
    },
    { ...node, args: [program, '--sandbox'], env: { COMMERCE_MAX_ROWS: '9' } },
    {
      ...node,
      args: [program, 'stdio', '--toolsets=orders', '--sandbox'],
      env: { COMMERCE_MAX_ROWS: '9' },
    },
  ],
  ['another program', { command: 'docker', args: ['run', '-i'] }, fresh, fresh],
  ['a server over HTTP', { url, headers }, fresh, fresh],
])('an entry written over %s', (_, before, content, written) => {
  const client = readClient('cursor');
  const entry = rewriteEntry(readEntry({ client, name: 'commerce', content }), before);
  expect(entry.content).toEqual(written);
});

test('an entry of Goose keeps its own variables', () => {
  const client = readClient('goose');
  const content = { cmd: 'node', args: [program], envs: account };
  const before = { ...content, envs: { ...account, HTTPS_PROXY: 'http://p' } };
  const entry = rewriteEntry(readEntry({ client, name: 'commerce', content }), before);
  expect(entry.content).toEqual(before);
});
