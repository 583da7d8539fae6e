/** An internet for documents of clients, in which every name has one public address. */
import { Readable } from 'node:stream';
import type { Reply } from '../../../../src/mcp/http/sign-in/documents.ts';

export function replyOf(body: unknown, statusCode = 200, headers: Reply['headers'] = {}): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return Object.assign(Readable.from([Buffer.from(text)]), { statusCode, headers });
}

/** Records connections, and refuses after half a second. */
export function fakeInternet(answer: (url: string) => Reply | Promise<Reply>) {
  const connections: { href: string; addresses: readonly string[] }[] = [];
  return {
    connections,
    resolve: async (_name: string, _signal: AbortSignal) => ['93.184.216.34'],
    async get({ href }: URL, addresses: readonly string[], _signal: AbortSignal) {
      connections.push({ href, addresses });
      return answer(href);
    },
    deadlineMs: 500,
  };
}
