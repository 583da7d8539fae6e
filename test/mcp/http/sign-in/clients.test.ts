import { expect, test } from 'vitest';
import { clientRules } from '../../../../src/mcp/http/sign-in/clients.ts';

test.each([
  ...['javascript:alert(1)', 'data:text/html,hello', 'file:///etc/passwd', 'vbscript:x'],
  ...['blob:https://a.example.com/1', 'about:blank', 'ftp://files.example.com/back'],
  ...['mailto:somebody@example.com', 'tel:+31201234567', 'wss://evil.example.com/'],
  ...['jar:https://evil.example.com/a.jar!/back', 'view-source:https://evil.example.com/'],
  ...['ssh://evil.example.com/', 'intent://evil/#Intent;end', 'urn:ietf:wg:oauth:2.0:oob'],
])('a client may not be led back to %s', (redirect) => {
  const metadata = { client_id: 'a', redirect_uris: ['https://a.example.com/', redirect] };
  const check = () => clientRules?.validator?.(undefined, 'scope', undefined, metadata);
  expect(check).toThrow(expect.objectContaining({ error: 'invalid_redirect_uri' }));
});

test.each(['cursor://anysphere.cursor-retrieval/oauth/callback', 'com.example.app:/back'])(
  'a client may be led back to its program at %s',
  (redirect) => {
    const metadata = { client_id: 'a', redirect_uris: [redirect] };
    clientRules?.validator?.(undefined, 'scope', undefined, metadata);
    expect(metadata).toMatchObject({ application_type: 'native', redirect_uris: [redirect] });
  },
);
