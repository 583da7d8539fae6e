/** Documents in which clients describe themselves. Any stranger can make this server read one. */
import { Resolver } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { onAbort, withDeadline } from '../../../core/deadline.ts';
import { FairQueue } from '../../../core/fair-queue.ts';
import { parseJson } from '../../../core/json.ts';
import { countedAddress, isPublicAddress } from '../address.ts';
import type { CountAttempt } from './attempts.ts';

export type Reply = Readable & Pick<IncomingMessage, 'statusCode' | 'headers'>;

export interface Internet {
  resolve(name: string, signal: AbortSignal): Promise<string[]>;
  /** Connects to one of these addresses and no other, and follows no redirect. */
  get(url: URL, addresses: readonly string[], signal: AbortSignal): Promise<Reply>;
  /** Longest time for a document in all. */
  deadlineMs: number;
}

/**
 * The real internet. Names are resolved by c-ares, because `getaddrinfo` can hold a thread of the pool, which
 * connections to platforms need, beyond any deadline.
 * @param nameServers in place of those of the system
 */
export function openInternet(nameServers?: readonly string[]): Internet {
  return {
    async resolve(name, signal) {
      const resolver = new Resolver({ timeout: 700, tries: 2 });
      if (nameServers) resolver.setServers(nameServers);
      const unlink = onAbort(signal, () => resolver.cancel());
      const lookups = [resolver.resolve4(name), resolver.resolve6(name)];
      const answers = await Promise.allSettled(lookups).finally(unlink);
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    },
    get: (url, addresses, signal) =>
      new Promise((resolve, reject) => {
        const resolved = addresses.map((address) => ({ address, family: isIP(address) }));
        request(url, {
          headers: { accept: 'application/json' },
          agent: false,
          lookup: (_name, _options, give) => give(null, resolved),
          signal,
        })
          .on('response', resolve)
          .on('error', reject)
          .end();
      }),
    deadlineMs: 2500,
  };
}

const maxBytes = 65_536;

/** Few reads at once and fewer for one address, so that reads without an end leave places to others. */
const bounds = { maxActive: 8, maxActivePerCaller: 2, maxWaiting: 64, maxWaitingPerCaller: 8 };

/**
 * Reads documents from public addresses only, few at a time, and each at most once a minute, failed or not.
 * @param ownHost this server's host, whose documents are not read
 */
export function openDocuments(ownHost: string, countAttempt: CountAttempt, internet: Internet) {
  const { deadlineMs } = internet;
  const places = new FairQueue(bounds);
  const documents = new LRUCache<string, Promise<Document>>({ max: 500, ttl: 60_000 });
  const readers = new WeakSet<KoaContextWithOIDC>();

  function read(href: string): Promise<Document> {
    // The sign-in page reads the document again, without a context of the library.
    const { ip } = Provider.ctx ?? {};
    if (ip !== undefined) countAttempt('client documents', ip);
    const document = withDeadline({ ms: deadlineMs }, async (signal) => {
      const leave = await places.enter({ caller: ip && countedAddress(ip), signal });
      return readDocument(new URL(href), internet, signal).finally(leave);
    });
    documents.set(href, document);
    return document;
  }

  return {
    /** Replaces the fetch of the library, which only GETs JSON. */
    async fetch(input: string | URL | Request): Promise<Response> {
      if (Provider.ctx) readers.add(Provider.ctx);
      const href = String(input);
      const { text, headers } = await (documents.get(href) ?? read(href));
      return new Response(text, { headers });
    },
    allowFetch(context: KoaContextWithOIDC | undefined, url: string): boolean {
      if (context) readers.add(context);
      return new URL(url).host !== ownHost;
    },
    /** Delays every refusal to the same time, so that it does not tell how far reading came. */
    async holdRefusals(context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
      const startedMs = performance.now();
      await next();
      if (context.status < 400 || !readers.has(context)) return;
      const endMs = startedMs + deadlineMs * 1.2;
      await sleep(endMs - performance.now(), undefined, { ref: false });
    },
  };
}

type Document = { text: string; headers: Record<string, string> };

/** @throws {Error} for an address that is not public, and for anything but JSON of a bounded size */
async function readDocument(url: URL, internet: Internet, signal: AbortSignal): Promise<Document> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = isIP(host) ? [host] : await internet.resolve(host, signal);
  if (url.protocol !== 'https:' || addresses.length === 0 || !addresses.every(isPublicAddress))
    throw new Error('its address is not public');
  const response = await internet.get(url, addresses, signal);
  try {
    if (response.statusCode !== 200) throw new Error(`it is answered with ${response.statusCode}`);
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of response) {
      bytes += part.length;
      if (bytes > maxBytes) throw new Error('it is too large');
      parts.push(part);
    }
    const text = Buffer.concat(parts).toString();
    if (parseJson(text) === undefined) throw new Error('it is no JSON');
    const { 'cache-control': cacheControl, expires } = response.headers;
    return {
      text,
      headers: {
        ...(cacheControl && { 'cache-control': cacheControl }),
        ...(expires && { expires }),
      },
    };
  } finally {
    response.destroy();
  }
}
