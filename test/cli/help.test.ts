import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { environmentOf } from '../../src/cli/arguments.ts';
import { commands } from '../../src/cli/commands.ts';
import { listSettings } from '../../src/config.ts';
import { runHere } from './run-here.ts';

const names = Object.keys(commands);
const variables = listSettings().map(({ setting }) => setting.variable);

/** Of an environment what a command reads. */
function reads(command: string, env: Record<string, string>) {
  return environmentOf(commands[command] ?? expect.unreachable(command), env);
}

async function help(command: string): Promise<string> {
  const { stdout } = await runHere([command, '--help']);
  return stdout;
}

/** The settings whose variables a help lists, without the prefix that all share. */
function listed(text: string): string[] {
  const names = text.replaceAll(/\(or\s+COMMERCE_\w+/g, '').matchAll(/COMMERCE_(\w+)/g);
  return [...names].map(([, variable = '']) => variable).sort();
}

describe('the help of a command', () => {
  test.each<[string, reads: string[], others: string[]]>([
    ['stdio', ['BASE_URL', 'REDIS_URL', 'QUERY_SECONDS'], ['HTTP_PORT', 'OAUTH_ISSUER']],
    ['http', ['BASE_URL', 'HTTP_PORT', 'OAUTH_ISSUER', 'HTTP_TOKENS'], []],
    ['connect', ['BASE_URL', 'AUTH_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'TOOLSETS'], ['HTTP_PORT']],
    ['completion', ['BASE_URL', 'TOOLSETS'], ['HTTP_PORT']],
    ['sandbox', [], ['BASE_URL', 'LOG_LEVEL']],
    ['demo', [], ['BASE_URL', 'LOG_LEVEL']],
  ])('of %s lists %j, and none of %j', async (command, reads, others) => {
    const found = listed(await help(command));
    expect(found).toEqual(expect.arrayContaining(reads));
    for (const variable of others) expect(found).not.toContain(variable);
  });

  test.each(names)('of %s lists the variables that reach it, and no others', async (command) => {
    const env = { HOME: '/home/ana', COMMERCE_NO_SUCH: 'a slip of the pen' };
    const wrong = Object.fromEntries(variables.map((variable) => [variable, 'wrong']));
    const reached = reads(command, { ...env, ...wrong });
    expect(reached).toMatchObject(env);
    expect(listed(await help(command))).toEqual(
      variables
        .filter((it) => it in reached)
        .map((it) => it.replace('COMMERCE_', ''))
        .sort(),
    );
  });

  test.each(names)('of %s has its own flags and an example before the settings', async (name) => {
    const text = await help(name);
    expect(text).toMatch(new RegExp(`^Usage: node \\S*dist/cli.js ${name}`));
    const at = ['Example:', 'Flags:', 'Settings'].map((title) => text.indexOf(`\n${title}`));
    expect(at.slice(0, 2).every((place) => place > 0)).toBe(true);
    expect(at.filter((place) => place >= 0)).toEqual(
      at.filter((it) => it >= 0).sort((a, b) => a - b),
    );
  });

  test.each(names)('of %s fits a terminal', async (name) => {
    const lines = (await help(name)).replaceAll(/node \S+cli\.js/g, 'commerce-mcp').split('\n');
    expect(lines.filter((line) => stringWidth(line) > 80)).toEqual([]);
  });
});
