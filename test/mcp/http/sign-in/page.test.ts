import { expect, test } from 'vitest';
import { pageHeaders, signInPage } from '../../../../src/mcp/http/sign-in/page.ts';

test.each([
  ['https://claude.ai/api/mcp/auth_callback', 'claude.ai', 'https://claude.ai'],
  ['cursor://anysphere.cursor-retrieval/oauth/callback', 'cursor:', 'cursor:'],
  ['http://localhost:6274/oauth/callback', 'localhost:6274', 'http://localhost:6274'],
  ['http://[::1]:6274/oauth/callback', '[::1]:6274', 'http:'],
])('the page that leads back to %s names %s, and its form %s', (redirectUri, host, source) => {
  const page = signInPage('', { client: 'A client', redirectUri, toolsets: [] });
  expect(page).toContain(`<dd><strong>${host}</strong></dd>`);
  const { 'content-security-policy': policy } = pageHeaders(redirectUri);
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action /);
  expect(policy).toContain(`form-action 'self' ${source}; frame-ancestors 'none'; base-uri 'none'`);
});

test('the page shows the name of a client in HTML as text', () => {
  const client = '<script>alert(1)</script><form action="https://evil.example.com">';
  const page = signInPage('', { client, redirectUri: 'https://a.example.com/', toolsets: [] });
  expect(page).toContain('&lt;script&gt;');
  expect(page.match(/<(script|form)\b/g)).toEqual(['<form']);
});
