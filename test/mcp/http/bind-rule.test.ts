import { describe, expect, test } from 'vitest';
import { type AccessSettings, accessProblems } from '../../../src/mcp/http/bind-rule.ts';

const issuer = 'https://id.example.com';
const audience = 'https://mcp.example.com/mcp';

function settings(given: Partial<AccessSettings>): AccessSettings {
  return { httpHost: '127.0.0.1', ...given };
}

describe('accessProblems', () => {
  test.each([
    ['this machine', {}],
    ['this machine by name', { httpHost: 'localhost' }],
    ['this machine over IPv6', { httpHost: '::1' }],
    ['every address with tokens', { httpHost: '0.0.0.0', httpTokens: 'a:b' }],
    ['every address with a file of tokens', { httpHost: '::', httpTokensFile: '/run/tokens' }],
    [
      'another address with an issuer',
      { httpHost: '10.0.0.1', oauthIssuer: issuer, oauthAudience: audience },
    ],
  ])('finds none with %s', (_, given) => {
    expect(accessProblems(settings(given))).toEqual([]);
  });

  test.each(['0.0.0.0', '::', '10.0.0.1', 'mcp.example.com', '127.0.0.1.example.com'])(
    'finds %s reachable by others while nobody has to show who they are',
    (httpHost) => {
      const [problem, ...others] = accessProblems(settings({ httpHost }));
      expect(others).toEqual([]);
      expect(problem?.name).toBe('COMMERCE_HTTP_HOST');
      expect(problem?.problem).toContain('COMMERCE_HTTP_TOKENS');
    },
  );

  test('finds this machine reached from outside while nobody has to show who they are', () => {
    const given = settings({ allowedHosts: ['localhost', 'mcp.example.com'] });
    expect(accessProblems(given)).toMatchObject([{ name: 'COMMERCE_ALLOWED_HOSTS' }]);
    expect(accessProblems({ ...given, httpTokens: 'a:b' })).toEqual([]);
    expect(accessProblems(settings({ allowedHosts: ['localhost', '127.0.0.1'] }))).toEqual([]);
  });

  test('finds half of OAuth to be none: the other half is named', () => {
    expect(accessProblems(settings({ oauthIssuer: issuer }))).toMatchObject([
      { name: 'COMMERCE_OAUTH_AUDIENCE' },
    ]);
    expect(accessProblems(settings({ oauthAudience: audience }))).toMatchObject([
      { name: 'COMMERCE_OAUTH_ISSUER' },
    ]);
  });
});
