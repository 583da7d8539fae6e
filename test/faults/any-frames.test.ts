import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fuzz, fuzzTimeoutMs } from '../fuzz.ts';
import { type RawServer, readFrame, request, spawnServer } from '../spawn.ts';

let server: RawServer;

beforeAll(async () => {
  server = spawnServer(['stdio', '--sandbox']);
  await server.initialize();
});

afterAll(async () => {
  server.end();
  const { code, stdout, stderr } = await server.ended;
  expect(code).toBe(0);
  for (const line of stdout.trimEnd().split('\n')) readFrame(line);
  expect(stderr).not.toMatch(/unhandled|uncaught|\n\s+at /i);
});

const newline = 0x0a;

/** Bytes that hold no end of line. */
const line = (bytes: Uint8Array) => bytes.filter((byte) => byte !== newline);

const anyMessage = fc.record(
  {
    jsonrpc: fc.oneof(fc.constant('2.0'), fc.constant('2.0'), fc.jsonValue()),
    id: fc.oneof(fc.integer({ min: 1000 }), fc.jsonValue()),
    method: fc.oneof(
      fc.constantFrom('tools/list', 'tools/call', 'resources/read', 'prompts/get', 'ping'),
      fc.constantFrom('completion/complete', 'logging/setLevel', 'resources/subscribe'),
      fc.constantFrom('notifications/progress', 'notifications/initialized', 'server/discover'),
      fc.string(),
    ),
    params: fc.oneof(
      fc.record(
        { name: fc.string(), arguments: fc.jsonValue(), uri: fc.string(), _meta: fc.jsonValue() },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    ),
    result: fc.jsonValue(),
    error: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

/** A frame that lost, gained or changed a byte somewhere. */
const mangled = fc
  .tuple(anyMessage, fc.nat(), fc.nat(255), fc.constantFrom('cut', 'insert', 'change', 'half'))
  .map(([message, place, byte, how]) => {
    const bytes = [...Buffer.from(JSON.stringify(message))];
    const at = place % bytes.length;
    if (how === 'half') return bytes.slice(0, at);
    bytes.splice(at, how === 'insert' ? 0 : 1, ...(how === 'cut' ? [] : [byte]));
    return bytes;
  });

/** A line that no server should have been sent, or that it may well answer. */
const noise = fc.oneof(
  mangled.map((bytes) => Uint8Array.from(bytes)),
  fc
    .oneof(anyMessage, fc.array(anyMessage, { maxLength: 3 }), fc.jsonValue())
    .map((value) => Buffer.from(JSON.stringify(value))),
  fc.uint8Array({ maxLength: 200 }),
);

describe('between frames that are cut, joined and mangled', () => {
  test(
    'every sound request is answered',
    async () => {
      let lastId = 0;
      const ping = fc.constant('ping' as const);
      const lines = fc.array(fc.oneof(noise, ping), { maxLength: 12 });
      await fuzz(
        'streams of frames',
        50,
        fc.asyncProperty(lines, fc.array(fc.nat(), { maxLength: 8 }), async (sent, places) => {
          const ids: string[] = [];
          const stream = Buffer.concat(
            [...sent, 'ping' as const].flatMap((each) => {
              if (each !== 'ping') return [line(each), Uint8Array.of(newline)];
              const id = `sound ${lastId++}`;
              ids.push(id);
              return [Buffer.from(`${JSON.stringify(request(id, 'ping'))}\n`)];
            }),
          );
          const cuts = [0, ...places.map((at) => at % stream.length).sort((a, b) => a - b)];
          for (const [index, from] of cuts.entries())
            server.write(stream.subarray(from, cuts[index + 1] ?? stream.length));
          for (const id of ids) expect(await server.answer(id)).toMatchObject({ result: {} });
        }),
      );
    },
    fuzzTimeoutMs,
  );
});
