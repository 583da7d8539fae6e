import { describe, expect, test } from 'vitest';
import { toolsets } from '../../../../src/endpoints/define.ts';
import { resourceUrl } from '../../../../src/mcp/http/auth/gate.ts';
import { metadataUrls } from '../../../../src/mcp/http/auth/jwks.ts';
import { scopesOf, toolsetsOf } from '../../../../src/mcp/http/auth/jwt.ts';

describe('scopesOf', () => {
  test.each([
    [{}, []],
    [{ scope: 'a b' }, ['a', 'b']],
    [{ scope: '' }, []],
    [{ scp: 'a  b' }, ['a', 'b']],
    [{ scp: ['a', 'b'] }, ['a', 'b']],
    [{ scope: 'a', scp: ['b'] }, ['a', 'b']],
    [{ scope: 7, scp: [null, { a: 1 }] }, []],
  ])('reads %j as %j', (claims, scopes) => {
    expect(scopesOf(claims)).toEqual(scopes);
  });
});

describe('toolsetsOf', () => {
  test.each([
    [[], []],
    [['orders'], ['orders']],
    [
      ['commerce:orders', 'reports', 'email'],
      ['reports', 'orders'],
    ],
    [['commerce'], toolsets],
    [['commerce:', 'commerce:*', 'Orders', 'ordersx', 'other:orders'], []],
  ])('opens with %j the toolsets %j', (scopes, opened) => {
    expect(toolsetsOf(scopes)).toEqual(opened);
  });
});

describe('metadataUrls', () => {
  test('looks where RFC 8414 and OpenID Connect put the metadata of an issuer with a path', () => {
    expect(metadataUrls('https://id.example.com/tenant/')).toEqual([
      'https://id.example.com/.well-known/oauth-authorization-server/tenant',
      'https://id.example.com/.well-known/openid-configuration/tenant',
      'https://id.example.com/tenant/.well-known/openid-configuration',
    ]);
  });

  test('looks in two places where the issuer has no path', () => {
    expect(metadataUrls('https://id.example.com')).toEqual([
      'https://id.example.com/.well-known/oauth-authorization-server',
      'https://id.example.com/.well-known/openid-configuration',
    ]);
  });
});

describe('resourceUrl', () => {
  const request = new Request('http://mcp.example.com:8787/readyz?x=1');
  const forwarded = new Request(request, { headers: { 'x-forwarded-proto': 'https' } });

  test.each([
    [request, 'https://public.example.com/mcp', 'https://public.example.com/mcp'],
    [request, 'commerce', 'http://mcp.example.com:8787/mcp'],
    [forwarded, 'commerce', 'https://mcp.example.com:8787/mcp'],
    [request, 'urn:commerce', 'http://mcp.example.com:8787/mcp'],
  ])('of %o with the audience %s is %s', (asked, audience, expected) => {
    expect(resourceUrl(asked, audience).href).toBe(expected);
  });
});
