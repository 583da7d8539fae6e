import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { environmentOf } from '../../src/cli/arguments.ts';
import { type Command, commands } from '../../src/cli/commands.ts';
import { usage } from '../../src/cli/usage.ts';
import { listSettings } from '../../src/config.ts';

const names = Object.keys(commands) as Command[];
const variables = listSettings().map(({ setting }) => setting.variable);

/** The settings whose variables a help lists, without the prefix that all share. */
function listed(command: Command): string[] {
  const names = usage(command).matchAll(/^ {2}(COMMERCE_\w+)/gm);
  return [...names].map(([, variable = '']) => variable.replace('COMMERCE_', ''));
}

describe('the help of a command', () => {
  test.each<[Command, reads: string[], others: string[]]>([
    ['stdio', ['BASE_URL', 'REDIS_URL', 'QUERY_SECONDS'], ['HTTP_PORT', 'OAUTH_ISSUER']],
    ['http', ['BASE_URL', 'HTTP_PORT', 'OAUTH_ISSUER', 'HTTP_TOKENS'], []],
    ['connect', ['BASE_URL', 'AUTH_URL', 'CLIENT_ID', 'CLIENT_SECRET'], ['TOOLSETS', 'REDIS_URL']],
    ['completion', ['BASE_URL', 'TOOLSETS'], ['HTTP_PORT']],
    ['sandbox', [], ['BASE_URL', 'LOG_LEVEL']],
    ['demo', [], ['BASE_URL', 'LOG_LEVEL']],
  ])('of %s lists %j, and none of %j', (command, reads, others) => {
    expect(listed(command)).toEqual(expect.arrayContaining(reads));
    for (const variable of others) expect(listed(command)).not.toContain(variable);
  });

  test.each(names)('of %s lists the variables that reach it, and no others', (command) => {
    const env = { HOME: '/home/ana', COMMERCE_NO_SUCH: 'a slip of the pen' };
    const wrong = Object.fromEntries(variables.map((variable) => [variable, 'wrong']));
    const reached = environmentOf(command, { ...env, ...wrong });
    expect(reached).toMatchObject(env);
    expect(listed(command)).toEqual(
      variables.filter((it) => it in reached).map((it) => it.replace('COMMERCE_', '')),
    );
  });

  test('of connect has flags for what an entry may hold, whose variables are meant for the shell', () => {
    expect(usage('connect')).toMatch(/^ {2}--concurrency VALUE/m);
    expect(environmentOf('connect', { COMMERCE_CLIENT_SECRET_FILE: '/s' })).toHaveProperty(
      'COMMERCE_CLIENT_SECRET_FILE',
    );
    expect(environmentOf('demo', { COMMERCE_CLIENT_SECRET_FILE: '/s' })).toEqual({});
  });

  test.each([undefined, ...names])('of %s fits the terminal', (command) => {
    for (const width of [80, 120]) {
      const lines = usage(command, width).split('\n');
      expect(lines.filter((line) => stringWidth(line) > width)).toEqual([]);
      // Nothing of it is lost.
      const words = (text: string) => text.split(/\s+/);
      expect(words(lines.join(' '))).toEqual(words(usage(command)));
    }
  });
});
