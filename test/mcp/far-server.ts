/** A server before a platform that is far away, on a clock that counts nothing but its round trips. */
import { openSockets, type Sockets } from '../../src/client/transport/runtime.ts';
import { readConfig } from '../../src/config/config.ts';
import { isRecord, type JsonObject } from '../../src/core/json.ts';
import { type App, createApp } from '../../src/mcp/app/app.ts';
import { callTool } from '../../src/mcp/server/call-tool.ts';
import { createLog } from '../../src/mcp/telemetry/log.ts';
import { FakeClock } from '../client/fake-clock.ts';
import { now } from '../server-over.ts';
import type { Sandbox } from '../spawn.ts';

/** From here to the platform and back, in milliseconds of the fake clock. */
export const latencyMs = 200;

/** A server, and how many round trips its answers take. */
export interface FarServer {
  app: App;
  clock: FakeClock;
  /** Calls a tool, which has to succeed; the time that passes is that of its round trips. */
  ask(tool: string, input?: JsonObject): Promise<{ rounds: number; context: JsonObject }>;
}

/** The platform's account, and the sockets that reach it on a clock. */
export interface FarPlatform {
  account: { baseUrl: string; authUrl: string; clientId: string; clientSecret: string };
  sockets(clock: FakeClock): Sockets;
}

/** A server that was just started, and begins to exchange its key as one over stdio does. */
export async function openFarServer({ account, sockets }: FarPlatform): Promise<FarServer> {
  const clock = new FakeClock();
  clock.wallOffsetMs = now;
  const { elapsed, alarm } = clock;
  const app = await clock.run(
    createApp({
      config: readConfig({ env: {}, fallback: account }),
      source: 'sandbox',
      log: createLog('silent'),
      now: clock.now,
      runtime: { elapsed, alarm, random: () => 0.5, ...sockets(clock) },
    }),
  );
  app.services.client.prepare();
  return {
    app,
    clock,
    async ask(tool, input = {}) {
      const beganMs = clock.elapsed();
      const { isError, content, structuredContent } = await clock.run(callTool(app, tool, input));
      if (isError) throw new Error(JSON.stringify(content));
      const rounds = (clock.elapsed() - beganMs) / latencyMs;
      const { context } = isRecord(structuredContent) ? structuredContent : {};
      return { rounds, context: isRecord(context) ? context : {} };
    },
  };
}

/** A sandbox that is far away: it answers in no time, and the way takes all of it. */
export function farSandbox({ baseUrl, authUrl, clientId, clientSecret }: Sandbox): FarPlatform {
  return {
    account: { baseUrl, authUrl, clientId, clientSecret },
    sockets(clock) {
      const { send, hangUp } = openSockets();
      return {
        hangUp,
        async send(request) {
          await clock.sleep(latencyMs / 2, request.signal);
          const reply = await clock.standStill(async () => {
            const reply = await send(request);
            await reply.body;
            return reply;
          });
          await clock.sleep(latencyMs / 2, request.signal);
          return reply;
        },
      };
    },
  };
}
