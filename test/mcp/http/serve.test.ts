import { describe, expect, test } from 'vitest';
import { serverOver } from '../../server-over.ts';

const alice = 'alice-has-a-long-token';

describe('starting', () => {
  test('is refused on an address that others can reach while nobody has to show who they are', async () => {
    await expect(
      serverOver('http', { settings: { COMMERCE_HTTP_HOST: '0.0.0.0' } }),
    ).rejects.toThrow('COMMERCE_HTTP_TOKENS');
  });

  test('is refused with tokens that cannot be read, and the refusal quotes none', async () => {
    const settings = { COMMERCE_HTTP_TOKENS: `alice:${alice}:sales` };
    const refusal = await serverOver('http', { settings }).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'bad_config' });
    expect(refusal.message).toContain('COMMERCE_HTTP_TOKENS entry 1 (alice)');
    expect(refusal.message).not.toContain(alice);
  });

  test('is refused on a port that is taken, naming it', async () => {
    const { url } = await serverOver('http');
    const settings = { COMMERCE_HTTP_PORT: new URL(url).port };
    await expect(serverOver('http', { settings })).rejects.toThrow(
      /COMMERCE_HTTP_PORT .* is in use/,
    );
  });
});
