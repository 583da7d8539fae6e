import { expect, test } from 'vitest';
import { person } from '../../../../src/cli/terminal/catalogue/catalogue.ts';
import { settingMessages } from '../../../../src/config/messages.ts';

const { say } = person;

test('what prevents a start has a line for each setting, and says how to try it without an account', () => {
  const problems = [
    { name: 'COMMERCE_BASE_URL', problem: settingMessages.missing_setting({ about: 'Address' }) },
    { name: '--port', problem: settingMessages.must_be_whole_number({ min: 0, max: 9 }) },
  ] as const;
  const [first, ...lines] = say({ code: 'cannot_start', problems }).split('\n');
  expect(first).toBe('commerce-mcp cannot start:');
  expect(lines.slice(0, 2)).toEqual([
    '  COMMERCE_BASE_URL is missing: Address',
    '  --port must be a whole number from 0 to 9',
  ]);
  expect(lines.at(-1)).toContain('demo, or add --sandbox.');
});
