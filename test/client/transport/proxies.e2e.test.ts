import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import type { ClientSettings } from '../../../src/client/transport/runtime.ts';
import { closeAfterwards } from '../../setup/closing.ts';
import { folderWith } from '../../setup/folder.ts';
import { spawnCommand } from '../../spawn.ts';
import { settings } from '../fake-world.ts';
import { certificate, listen, platformHost, startProxy, startTlsPlatform } from '../tls-server.ts';

let port: number;

beforeAll(async () => {
  port = await startTlsPlatform();
});

/** How a call fails at a platform and authorization server of this origin. */
async function failureOf(origin: string, proxies: Partial<ClientSettings> = {}) {
  const attempts: string[] = [];
  const client = createClient(
    { ...settings, baseUrl: origin, authUrl: origin, ...proxies },
    { random: () => 0, log: ({ event }) => void attempts.push(event) },
  );
  closeAfterwards(client.close);
  const reason = await client.get('/api/me').then(
    () => 'answered',
    (error) => error.reason,
  );
  return { reason, isRetried: attempts.includes('retry') };
}

const named = `https://${platformHost}`;

describe('a connection that is not made', () => {
  test('a connection with an untrusted certificate or without TLS fails with that reason and is not retried', async () => {
    const reason = { fault: 'certificate', cause: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
    const failure = await failureOf(`https://127.0.0.1:${port}`);
    expect(failure).toMatchObject({ reason, isRetried: false });
    const plain = await listen(createServer((_, response) => response.end()));
    const other = await failureOf(`https://127.0.0.1:${plain}`);
    expect(other).toMatchObject({ reason: { fault: 'no_tls' }, isRetried: false });
  });

  test.each<[string, object, number | undefined]>([
    ['that refuses', { fault: 'proxy', cause: '403' }, 403],
    ['that asks for a password', { fault: 'proxy', cause: '407' }, 407],
    ['to a certificate that is not trusted', { fault: 'certificate' }, undefined],
  ])('through a proxy %s is told as that', async (_, reason, refusal) => {
    const proxy = await startProxy(port);
    proxy.refusal = refusal;
    const failure = await failureOf(named, { httpsProxy: proxy.address });
    expect(failure).toMatchObject({ reason, isRetried: false });
    expect(proxy.asked).toEqual([`${platformHost}:443`]);
  });

  test.each([
    ['the proxy is not there', 'http://127.0.0.1:1', { fault: 'proxy', cause: 'ECONNREFUSED' }],
    ['the proxy has no such name', 'http://proxy.invalid', { fault: 'proxy', cause: 'ENOTFOUND' }],
    ['the platform has no such name', '', { fault: 'unknown_name' }],
  ])('as %s is told as that', async (_, httpsProxy, reason) => {
    expect(await failureOf(named, { httpsProxy })).toMatchObject({ reason });
  });

  test.each([
    ['*', named],
    [platformHost, named],
    ['.test', named],
    ['', 'http://127.0.0.1:1'],
  ])('passes by the proxies with NO_PROXY=%s to %s', async (noProxy, origin) => {
    const proxy = await startProxy(port);
    const { address } = proxy;
    await failureOf(origin, { httpsProxy: address, httpProxy: address, noProxy });
    expect(proxy.asked).toEqual([]);
  });
});

test.each(['https_proxy', 'HTTP_PROXY'])(
  'a command asks both servers through %s, and trusts NODE_EXTRA_CA_CERTS',
  async (variable) => {
    const proxy = await startProxy(port);
    const command = spawnCommand(['call', 'get_me', '--json'], {
      COMMERCE_BASE_URL: named,
      COMMERCE_AUTH_URL: named,
      COMMERCE_CLIENT_ID: settings.clientId,
      COMMERCE_CLIENT_SECRET: settings.clientSecret,
      NODE_EXTRA_CA_CERTS: join(folderWith({ 'ca.pem': certificate }), 'ca.pem'),
      [variable]: proxy.address,
    });
    const { code, stdout, stderr } = await command.ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ account: { name: 'far' } });
    expect(proxy.asked).toContain(`${platformHost}:443`);
  },
);
