import { createHash } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientMessages } from '../../../../src/client/messages.ts';
import { toolsets } from '../../../../src/endpoints/define.ts';
import { findToken, parseTokens } from '../../../../src/mcp/http/auth/tokens.ts';
import { serverOver } from '../../../server-over.ts';
import { folderWith } from '../../../setup/folder.ts';
import { bearer, callTool, message, post } from '../messages.ts';

const secret = 'a-token-nobody-guesses';

describe('parseTokens', () => {
  test('reads names, tokens and toolsets, from one line or several', () => {
    const { tokens, problems } = parseTokens(
      `alice:${secret}; bob:another-long-token:orders, reports\n\n# carol:gone\r\nd@e.f-g:third-long-token`,
    );
    expect(problems).toEqual([]);
    expect(tokens.map(({ caller }) => caller)).toEqual([
      { id: 'token:alice', name: 'alice', toolsets },
      { id: 'token:bob', name: 'bob', toolsets: ['reports', 'orders'] },
      { id: 'token:d@e.f-g', name: 'd@e.f-g', toolsets },
    ]);
  });

  test('lets a caller have two tokens, so that one can be changed without an interruption', () => {
    const { tokens } = parseTokens(`alice:${secret};alice:${secret}2`);
    expect(findToken(tokens, secret)?.caller.name).toBe('alice');
    expect(findToken(tokens, `${secret}2`)?.caller.name).toBe('alice');
  });

  test('takes the digest of a token, and the last day on which it opens anything', () => {
    const digest = createHash('sha256').update(secret).digest('hex');
    const text = `alice:sha256:${digest}:orders:until=2026-12-31;bob:${secret}2:until=2026-11-30`;
    const { tokens, problems } = parseTokens(text);
    expect(problems).toEqual([]);
    expect(tokens.map(({ until, caller: { toolsets } }) => [until, toolsets.length])).toEqual([
      ['2026-12-31', 1],
      ['2026-11-30', 6],
    ]);
    expect(findToken(tokens, secret)?.caller.name).toBe('alice');
    expect(findToken(tokens, digest)).toBeUndefined();
  });

  test('takes the share of the budget that an entry may use at most, in percent', () => {
    const text = `alice:${secret}:orders:share=25:until=2026-12-31;bob:${secret}2:until=2026-12-31: share = 100;carol:${secret}3`;
    const { tokens, problems } = parseTokens(text);
    expect(problems).toEqual([]);
    expect(tokens.map(({ until, caller: { share } }) => [until, share])).toEqual([
      ['2026-12-31', 0.25],
      ['2026-12-31', 1],
      [undefined, undefined],
    ]);
  });

  test.each([
    [secret, { cause: 'not_a_token_entry' }],
    [`alice:`, { cause: 'not_a_token_entry' }],
    [`:${secret}`, { cause: 'bad_token_name' }],
    [`al ice:${secret}`, { cause: 'bad_token_name' }],
    [`alice:to ${secret}`, { name: 'alice', cause: 'bad_token_characters' }],
    [`alice:${secret.slice(0, 15)}`, { name: 'alice', cause: 'weak_token' }],
    [`alice:${secret}:`, { name: 'alice', cause: 'unknown_toolset' }],
    [`alice:${secret}:sales`, { name: 'alice', cause: 'unknown_toolset' }],
    [`alice:${secret}:share=0`, { name: 'alice', cause: 'bad_share' }],
    [`alice:${secret}:share=2.5`, { name: 'alice', cause: 'bad_share' }],
    [`alice:${secret}:share=25=90`, { name: 'alice', cause: 'bad_share' }],
    [`alice:${secret}:share=25:share=90`, { cause: 'not_a_token_entry' }],
    [`alice:${secret}:until=2026-12-31=x`, { name: 'alice', cause: 'bad_until' }],
    [`alice:${secret}:until=soon`, { name: 'alice', cause: 'bad_until' }],
    [`alice:${secret}:orders:more`, { cause: 'not_a_token_entry' }],
    [`bob:${secret};alice:${secret}`, { entry: 2, cause: 'repeated_token' }],
  ])('refuses %j without quoting the token', (text, problem) => {
    const { problems } = parseTokens(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ code: 'token_entry', ...problem });
    expect(JSON.stringify(problems)).not.toContain(secret.slice(0, 15));
  });
});

describe('findToken', () => {
  test('finds the caller of a token and of no other text', () => {
    const token = fc.stringMatching(/^[!-9<-~]{16,40}$/);
    fc.assert(
      fc.property(fc.uniqueArray(token, { minLength: 1 }), fc.string(), (texts, other) => {
        const { tokens } = parseTokens(texts.map((text, index) => `c${index}:${text}`).join('\n'));
        fc.pre(tokens.length === texts.length);
        for (const [index, text] of texts.entries())
          expect(findToken(tokens, text)?.caller.name).toBe(`c${index}`);
        if (!texts.includes(other)) expect(findToken(tokens, other)).toBeUndefined();
      }),
    );
  });
});

const alice = 'alice-has-a-long-token';
const orders = 'orders-only-long-token';

describe('a server with a file of tokens', () => {
  async function openWithFile() {
    const file = join(folderWith({ tokens: `# who may\nalice:${alice}\n` }), 'tokens');
    const server = await serverOver('http', { settings: { COMMERCE_HTTP_TOKENS_FILE: file } });
    const statusOf = async (token: string) =>
      (await post(server.url, message('ping'), bearer(token))).status;
    expect(await statusOf(alice)).toBe(200);
    return { server, file, statusOf };
  }

  test('reads it again when it is written, or another is put in its place, be it without a token', async () => {
    const { file, statusOf } = await openWithFile();
    await writeFile(file, `bob:${orders}\n`);
    expect([await statusOf(alice), await statusOf(orders)]).toEqual([401, 200]);
    await writeFile(`${file}.new`, `alice:${alice}`);
    await rename(`${file}.new`, file);
    expect([await statusOf(alice), await statusOf(orders)]).toEqual([200, 401]);
    await writeFile(file, '');
    expect(await statusOf(alice)).toBe(401);
  });

  test('lets nobody in after the last day of their token, and names who came and went', async () => {
    const { server, file, statusOf } = await openWithFile();
    server.log.length = 0;
    await writeFile(file, `bob:${orders}:until=2020-01-01\nalice:${alice}:until=2099-12-31\n`);
    expect([await statusOf(alice), await statusOf(orders)]).toEqual([200, 401]);
    await writeFile(file, `bob:${orders}\n`);
    expect([await statusOf(alice), await statusOf(orders)]).toEqual([401, 200]);
    const changes = server.log.filter(({ message: text }) => text === 'tokens');
    expect(changes.map(({ facts }) => facts)).toEqual([
      { added: ['bob'], removed: [] },
      { added: [], removed: ['alice'] },
    ]);
  });

  test('stays with what it knew while the file is wrong or away, and log, /readyz and /metrics say so', async () => {
    const { server, file, statusOf } = await openWithFile();
    const isBroken = () => server.metric('commerce_mcp_tokens_file_broken ', bearer(alice));
    expect(await isBroken()).toBe(0);
    await writeFile(file, `alice ${orders}`);
    expect(await statusOf(alice)).toBe(200);
    await rm(file);
    // Whether anybody calls or not.
    expect(await isBroken()).toBe(1);
    expect(await (await fetch(`${server.origin}/readyz`)).json()).toMatchObject({
      checks: { tokens_file: 'the tokens file cannot be used; the tokens stay as they were' },
    });
    expect(await statusOf(alice)).toBe(200);
    const errors = server.log.filter(({ level }) => level === 'error');
    const unreadable = { code: 'unreadable_file', reason: expect.stringMatching(/^ENOENT/) };
    const entry = { code: 'token_entry', cause: 'not_a_token_entry' };
    expect(errors.map(({ facts }) => facts.reason)).toMatchObject([
      { problems: [{ problem: entry }] },
      { problems: [{ problem: unreadable }] },
    ]);
    expect(JSON.stringify(server.log)).not.toContain(orders);
  });

  test('holds a caller to their share of the budget', async () => {
    const tokens = `alice:${alice}:share=25\nbob:${orders}\n`;
    const file = join(folderWith({ tokens }), 'tokens');
    const settings = { COMMERCE_HTTP_TOKENS_FILE: file, COMMERCE_MAX_WAIT_SECONDS: '0' };
    const server = await serverOver('http', { quota: 20, settings });
    const call = (token: string, day: number) =>
      callTool(server.url, 'get_daily_close', { date: `2026-11-${10 + day}` }, bearer(token));
    const answers: string[] = [];
    for (let day = 0; day < 8; day++) answers.push(JSON.stringify(await call(alice, day)));
    const none = { endpoint: '', of: 'caller', waitMs: 0, at: '', refusal: undefined } as const;
    const [reason = ''] = clientMessages.budget_spent(none).text.split(';');
    const isRefused = (answer: string) => answer.includes(reason);
    expect(answers.map(isRefused)).toEqual([...Array(5).fill(false), ...Array(3).fill(true)]);
    expect(JSON.stringify(await call(orders, 9))).not.toContain('rate budget');
  });

  test('refuses to start without it', async () => {
    const settings = { COMMERCE_HTTP_TOKENS_FILE: join(tmpdir(), 'no-such-file') };
    await expect(serverOver('http', { settings })).rejects.toThrow(
      /COMMERCE_HTTP_TOKENS_FILE unreadable_file.*ENOENT/,
    );
  });
});
