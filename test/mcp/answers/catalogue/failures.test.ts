import { expect, test } from 'vitest';
import type { Message } from '../../../../src/core/message.ts';
import { outsideReader } from '../../../../src/mcp/answers/catalogue/catalogue.ts';

test.each<[Message, string]>([
  [
    { code: 'host_not_allowed', host: 'evil.example' },
    'Invalid Host: this server is not known as "evil.example". To allow that name, add it to COMMERCE_ALLOWED_HOSTS (--allowed-hosts evil.example)',
  ],
  [
    { code: 'token_not_good', check: 'ERR_JWT_EXPIRED, exp' },
    'The token is not good for this server (ERR_JWT_EXPIRED, exp)',
  ],
  [
    { code: 'body_too_full', keysPerObject: 1000, levels: 50, values: 20_000 },
    'Invalid request: an object may have 1000 members at most, and be 50 deep; a body may hold 20000 values',
  ],
])('who is refused reads what to do: $code', (message, text) => {
  expect(outsideReader.say(message)).toBe(text);
});
