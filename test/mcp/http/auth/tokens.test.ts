import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toolsets } from '../../../../src/endpoints/define.ts';
import { findCaller, parseTokens } from '../../../../src/mcp/http/auth/tokens.ts';

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
    expect(findCaller(tokens, secret)?.name).toBe('alice');
    expect(findCaller(tokens, `${secret}2`)?.name).toBe('alice');
  });

  test('keeps no token as it was written', () => {
    expect(JSON.stringify(parseTokens(`alice:${secret}`))).not.toContain(secret);
  });

  test.each([
    [secret, 'is not name:token'],
    [`alice:`, 'is not name:token'],
    [`:${secret}`, 'has a name of other characters'],
    [`al ice:${secret}`, 'has a name of other characters'],
    [`alice:to ${secret}`, '(alice) has a token with spaces'],
    [`alice:${secret.slice(0, 15)}`, '(alice) has a token that must have 16 characters or more'],
    [`alice:${secret}:`, '(alice) names something that is no toolset'],
    [`alice:${secret}:sales`, '(alice) names something that is no toolset; there are reports'],
    [`alice:${secret}:orders:more`, 'a token holds no colon'],
    [`bob:${secret};alice:${secret}`, 'entry 2 repeats the token of another entry'],
  ])('refuses %j without quoting the token', (text, problem) => {
    const { problems } = parseTokens(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
    expect(problems[0]).not.toContain(secret.slice(0, 15));
  });

  test('takes no text at all for no tokens', () => {
    expect(parseTokens(' ;\n; ')).toEqual({ tokens: [], problems: [] });
  });
});

describe('findCaller', () => {
  test('finds the caller of a token and of no other text', () => {
    const token = fc.stringMatching(/^[!-9<-~]{16,40}$/);
    fc.assert(
      fc.property(fc.uniqueArray(token, { minLength: 1 }), fc.string(), (texts, other) => {
        const { tokens } = parseTokens(texts.map((text, index) => `c${index}:${text}`).join('\n'));
        fc.pre(tokens.length === texts.length);
        for (const [index, text] of texts.entries())
          expect(findCaller(tokens, text)?.name).toBe(`c${index}`);
        if (!texts.includes(other)) expect(findCaller(tokens, other)).toBeUndefined();
      }),
    );
  });
});
