import { expect, test } from 'vitest';
import { person, type Said } from '../../../../src/cli/terminal/catalogue/catalogue.ts';
import { fileMessages } from '../../../../src/core/files.ts';

const { say } = person;

/** Each message with what follows the name of the setting. */
test.each<[Said, string]>([
  [
    { code: 'missing_setting', about: 'Address of the platform API' },
    'is missing: Address of the platform API',
  ],
  [{ code: 'must_be_https' }, 'must be https; plain http is for this machine only'],
  [{ code: 'must_be_whole_number', least: 1, most: 64 }, 'must be a whole number from 1 to 64'],
  [
    { code: 'not_of_kind', text: 'sales', kind: 'toolset' },
    '"sales" is not one of the toolsets reports, orders, catalog, customers, reference, analysis',
  ],
  [
    { code: 'setting_not_a_period', given: 'last_moth', nearest: 'last_month' },
    '"last_moth" is not a period. Did you mean last_month?',
  ],
  [
    { code: 'unreadable_file', reason: fileMessages.not_a_plain_file() },
    'cannot be read: It is no plain file.',
  ],
  [
    {
      code: 'in_line',
      line: 3,
      keys: ['accounts', 'utrecht', 'base_url'],
      problem: { code: 'must_be_https' },
    },
    'line 3: accounts.utrecht.base_url must be https; plain http is for this machine only',
  ],
  [
    { code: 'not_account_settings', names: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
    'has a, b, c, d, e and 2 more, which is no setting of an account',
  ],
  [
    {
      code: 'token_entry',
      entry: 2,
      name: 'alice',
      problem: { code: 'weak_token', problem: { code: 'must_be_longer', least: 16 } },
    },
    'entry 2 (alice) has a token that must have 16 characters or more: `openssl rand -base64 32` makes one',
  ],
  [{ code: 'port_in_use', port: 8787 }, '(--port) 8787 is in use: give another'],
])('says %j', (message, text) => {
  expect(say(message)).toBe(text);
});

test('what prevents a start has a line for each setting, and says how to try it without an account', () => {
  const problems = [
    { name: 'COMMERCE_BASE_URL', problem: { code: 'missing_setting', about: 'Address' } },
    { name: '--port', problem: { code: 'must_be_whole_number', least: 0, most: 9 } },
  ] as const;
  const [first, ...lines] = say({ code: 'cannot_start', problems }).split('\n');
  expect(first).toBe('commerce-mcp cannot start:');
  expect(lines.slice(0, 2)).toEqual([
    '  COMMERCE_BASE_URL is missing: Address',
    '  --port must be a whole number from 0 to 9',
  ]);
  expect(lines.at(-1)).toContain('demo, or add --sandbox.');
});
