import { describe, expect, test } from 'vitest';
import { openLinks } from '../../../src/mcp/http/links.ts';
import { missingRedis, startRedis } from '../../redis-server.ts';
import { now } from '../../server-over.ts';
import { closeAfterwards } from '../../setup/closing.ts';

const file = {
  id: 'r_0123456789',
  name: 'omzet-café-2026-10.xlsx',
  caller: 'token:alice@utrecht',
  account: 'utrecht',
  toolsets: ['orders', 'analysis'] as const,
  expiresAtMs: now + 60_000,
};

/** The two parts of a link, the name as a router decodes it. */
function partsOf(link: string): [token: string, name: string] {
  const [token = '', name = ''] = link.split('/');
  return [token, decodeURIComponent(name)];
}

function linksOver(redisUrl?: string, clock = () => now) {
  let elapsedMs = 0;
  // Each look at the key is one that may be made.
  const links = openLinks(redisUrl, clock, () => (elapsedMs += 10_000));
  closeAfterwards(async () => links.close());
  return links;
}

describe('a link', () => {
  test('opens what was signed, to the letter, until it ends', async () => {
    let nowMs = now;
    const links = linksOver(undefined, () => nowMs);
    const [token, name] = partsOf(await links.sign(file));
    expect(await links.read(token, name)).toEqual(file);
    nowMs = file.expiresAtMs;
    expect(await links.read(token, name)).toBeUndefined();
  });

  test('a link of a caller without an account names none', async () => {
    const links = linksOver();
    const parts = partsOf(await links.sign({ ...file, account: undefined }));
    expect(await links.read(...parts)).toEqual({ ...file, account: undefined });
  });

  test('opens nothing with another name, another content, another signature or another key', async () => {
    const links = linksOver();
    const [token, name] = partsOf(await links.sign(file));
    const [content = '', signature = ''] = token.split('.');
    const values = Buffer.from(content, 'base64url').toString();
    const forged = Buffer.from(values.replace('alice', 'bobby')).toString('base64url');
    const wrong: [string, string][] = [
      [token, 'omzet-café-2026-10.csv'],
      [`${forged}.${signature}`, name],
      [`${content}.${signature.slice(1)}`, name],
      [`${content}.`, name],
      [content, name],
      ['', ''],
      ['.', name],
    ];
    for (const parts of wrong) expect(await links.read(...parts)).toBeUndefined();
    expect(await linksOver().read(token, name)).toBeUndefined();
  });
});

describe.skipIf(missingRedis)('links of processes on one Redis (needs redis-server)', () => {
  test('are good in each, also once Redis has lost the key, and in none without it', async () => {
    const redis = await startRedis();
    closeAfterwards(redis.close);
    const [first, second] = [linksOver(redis.url), linksOver(redis.url)];
    const early = partsOf(await first.sign(file));
    expect(await second.read(...early)).toEqual(file);
    await redis.kill();
    await redis.start();
    await expect.poll(async () => second.read(...partsOf(await first.sign(file)))).toEqual(file);
    expect(await linksOver().read(...early)).toBeUndefined();
  });
});
