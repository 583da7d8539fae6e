import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { runHere } from './run-here.ts';

async function help(command: string): Promise<string> {
  const { stdout } = await runHere([command, '--help']);
  return stdout;
}

describe('the help of a command', () => {
  test.each<[string, reads: string[], others: string[]]>([
    [
      'stdio',
      ['BASE_URL', 'CLIENT_SECRET_FILE', 'REDIS_URL', 'QUERY_SECONDS'],
      ['HTTP_PORT', 'OAUTH_ISSUER'],
    ],
    ['http', ['BASE_URL', 'HTTP_PORT', 'OAUTH_ISSUER', 'HTTP_TOKENS'], []],
    ['connect', ['BASE_URL', 'AUTH_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'TOOLSETS'], ['HTTP_PORT']],
    ['completion', ['BASE_URL', 'TOOLSETS'], ['HTTP_PORT']],
    ['sandbox', [], ['BASE_URL', 'LOG_LEVEL']],
    ['demo', [], ['BASE_URL', 'LOG_LEVEL']],
  ])('of %s lists the variables %j, and none of %j', async (command, reads, others) => {
    const text = await help(command);
    for (const variable of reads) expect(text).toContain(`COMMERCE_${variable}`);
    for (const variable of others) expect(text).not.toContain(`COMMERCE_${variable}`);
  });

  test.each(Object.keys(commands))(
    'of %s fits a terminal, its flags and an example before the settings',
    async (name) => {
      const text = await help(name);
      expect(text).toMatch(new RegExp(`^Usage: node \\S*dist/cli.js ${name}`));
      const found = [...text.matchAll(/^(Example|Flags|Settings)/gm)].map(([title]) => title);
      expect(['Example Flags', 'Example Flags Settings']).toContain(found.join(' '));
      const lines = text.replaceAll(/node \S+cli\.js/g, 'commerce-mcp').split('\n');
      expect(lines.filter((line) => stringWidth(line) > 80)).toEqual([]);
    },
  );
});
