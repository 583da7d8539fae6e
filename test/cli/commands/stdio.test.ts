import { expect, test } from 'vitest';
import { type ClientName, connectAs } from '../../clients.ts';
import { closeAfterwards } from '../../setup/closing.ts';
import { account, binary, environment } from '../../spawn.ts';

/** Starts the server as a client does. */
async function start(settings: Record<string, string>, name: ClientName = 'the 2.x client') {
  let printed = '';
  const { close, ...connection } = await connectAs(name, {
    command: process.execPath,
    args: [binary, 'stdio', `--sandbox=\${user_config.sandbox}`],
    env: environment(settings),
    stderr: 'pipe',
    onPrinted: (text) => {
      printed += text;
    },
  });
  closeAfterwards(close);
  return { ...connection, printed: () => printed };
}

test.each<ClientName>(['the 1.x SDK', 'the 2.x client pinned to 2026-07-28'])(
  'the client %s gets the tools, and each call says which fields of the form are empty',
  async (name) => {
    const empty = { COMMERCE_BASE_URL: '', COMMERCE_CLIENT_ID: `\${user_config.client_id}` };
    const { listTools, call, printed } = await start(empty, name);
    const { tools } = await listTools();
    expect(tools.map((tool) => tool.name)).toEqual(
      expect.arrayContaining(['get_daily_close', 'query', 'list_shops']),
    );
    for (const [tool, input] of [
      ['get_daily_close', { date: 'yesterday' }],
      ['query', { sql: 'SELECT 1 AS one' }],
    ] as const) {
      const { isError, text, failure } = await call(tool, input);
      expect([isError, failure]).toEqual([true, { code: 'bad_config' }]);
      for (const field of [
        'Platform address (COMMERCE_BASE_URL) is empty.',
        'Authorization server of the account (COMMERCE_AUTH_URL) is empty.',
        'Client id of the API key (COMMERCE_CLIENT_ID) is empty.',
        'Client secret of the API key (COMMERCE_CLIENT_SECRET) is empty.',
      ])
        expect(text).toContain(field);
      expect(text).toContain('Settings, Extensions, Commerce');
      expect(text).toContain(`node "${binary}" connect.`);
    }
    expect(printed()).toContain('COMMERCE_AUTH_URL is missing');
  },
);

test.each([
  [{ COMMERCE_BASE_URL: 'example' }, 'Platform address (COMMERCE_BASE_URL) must be an address'],
  [{ COMMERCE_TOOLSETS: 'reprots' }, 'COMMERCE_TOOLSETS "reprots" is not one of the toolsets'],
  [{ COMMERCE_ACCOUNTS_FILE: '/nowhere' }, '(COMMERCE_CLIENT_ID) is of one account'],
])('a client is told which of the settings %j is wrong', async (wrong, says) => {
  const { call } = await start({ ...account(nowhere), ...wrong });
  const { text, failure } = await call('list_shops');
  expect([text, failure]).toEqual([expect.stringContaining(says), { code: 'bad_config' }]);
  expect(text).not.toContain('is empty');
});

/** An account that no test here asks. */
const nowhere = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://auth.example.com',
  keys: { owner: { clientId: 'id', clientSecret: 'secret' } },
};
