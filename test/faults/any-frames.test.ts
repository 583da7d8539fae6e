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

const params = fc.record(
  { name: fc.string(), arguments: fc.jsonValue(), uri: fc.string(), _meta: fc.jsonValue() },
  { requiredKeys: [] },
);
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
    params: fc.oneof(params, fc.jsonValue()),
    result: fc.jsonValue(),
    error: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

/** A frame that lost a byte or all the others, and perhaps gained one. */
const mangled = fc
  .tuple(anyMessage, fc.nat(), fc.constantFrom(0, 1, Infinity), fc.uint8Array({ maxLength: 1 }))
  .map(([message, place, lost, gained]) => {
    const bytes = [...Buffer.from(JSON.stringify(message))];
    return Uint8Array.from(bytes.toSpliced(place % bytes.length, lost, ...gained));
  });

/** A line that no server should have been sent, or that it may well answer. */
const noise = fc.oneof(
  mangled,
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
      const lines = fc.array(fc.oneof(noise, fc.constant('ping' as const)), { maxLength: 12 });
      const cuts = fc.array(fc.nat(), { maxLength: 8 });
      await fuzz(
        'streams of frames',
        50,
        fc.asyncProperty(lines, cuts, async (sent, places) => {
          const ids: string[] = [];
          const frames = [...sent, 'ping' as const].map((each) => {
            if (each !== 'ping') return each.filter((byte) => byte !== newline);
            const id = `sound ${lastId++}`;
            ids.push(id);
            return Buffer.from(JSON.stringify(request(id, 'ping')));
          });
          const stream = Buffer.concat(frames.flatMap((frame) => [frame, Buffer.of(newline)]));
          const ends = places.map((at) => at % stream.length).sort((a, b) => a - b);
          for (const [index, end] of [...ends, stream.length].entries())
            server.write(stream.subarray(ends[index - 1] ?? 0, end));
          for (const id of ids) expect(await server.answer(id)).toMatchObject({ result: {} });
        }),
      );
    },
    fuzzTimeoutMs,
  );
});
