import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  forgetSecret,
  openAsk,
  secretFileOf,
  variablesOf,
} from '../../../../src/cli/commands/connect/account.ts';
import { folderWith } from '../../../setup/folder.ts';

/** A terminal at which somebody types one text. */
function terminal(typed: string) {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true });
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const ask = openAsk({ input, output }) ?? expect.unreachable('nobody is asked');
  input.write(typed);
  return { ask, shown: () => shown };
}

test('an entry carries the proxies of this shell, in whichever letters', () => {
  const env = {
    https_proxy: 'proxy.example.com:3128',
    NO_PROXY: 'localhost',
    COMMERCE_CONCURRENCY: '4',
    COMMERCE_HTTP_PORT: '80',
  };
  expect(variablesOf({ flags: {}, env })).toEqual({
    HTTPS_PROXY: 'http://proxy.example.com:3128',
    NO_PROXY: 'localhost',
    COMMERCE_CONCURRENCY: '4',
  });
});

test('nobody is asked where no terminal is', () => {
  const input = new PassThrough();
  expect(openAsk({ input, output: new PassThrough() })).toBeUndefined();
});

test('a question shows what is typed', async () => {
  const { ask, shown } = terminal('https://api.example.com \r');
  expect(await ask('Write this?')).toBe('https://api.example.com');
  expect(shown()).toContain('https://api.example.com');
});

test('a hidden question does not show what is typed', async () => {
  const { ask, shown } = terminal('a-very-secret-word\r');
  expect(await ask('Secret: ', { isHidden: true })).toBe('a-very-secret-word');
  expect(shown()).toBe('Secret: \n');
});

test('a question ends without an answer at Ctrl+C', async () => {
  const { ask } = terminal('half\u0003');
  await expect(ask('Write this?')).rejects.toThrow('stopped');
});

test.each(['../other.secret', 'a/../../other.secret', 'plain.txt'])(
  'forgetting the secret at %s of the folder for secrets deletes no file',
  async (file) => {
    vi.stubEnv('XDG_CONFIG_HOME', folderWith());
    onTestFinished(() => void vi.unstubAllEnvs());
    const folder = dirname(secretFileOf('ck'));
    await mkdir(join(folder, 'a'), { recursive: true });
    await writeFile(join(folder, '..', 'other.secret'), 'mine');
    await writeFile(join(folder, 'plain.txt'), 'mine');
    expect(await forgetSecret(`${folder}/${file}`)).toBe(false);
    expect(await readFile(`${folder}/${file}`, 'utf8')).toBe('mine');
  },
);
