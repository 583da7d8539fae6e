import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReferenceLists } from '../../analysis/reference/lists.ts';
import { ProductIds } from '../../analysis/reference/product-ids.ts';
import { openArchive } from '../../analysis/results/archive.ts';
import { createResultStore } from '../../analysis/results/store.ts';
import { type Client, createClient } from '../../client/client.ts';
import type { Fleet, FleetStatus } from '../../client/fleet/fleet.ts';
import type { ClientEvent, Runtime } from '../../client/transport/runtime.ts';
import type { Config } from '../../config.ts';
import { hasCode } from '../../core/errors.ts';
import { quote } from '../../core/text.ts';
import { addsTooMuch } from '../../endpoints/complete-endpoints.ts';
import { endpoints } from '../../endpoints/index.ts';
import type { QueryEngine } from '../../query/engine.ts';
import type { Prompt } from '../prompts/prompts.ts';
import { createActivity } from '../telemetry/call-tracking.ts';
import type { Log } from '../telemetry/log.ts';
import { documentedCatalogue } from '../tools/catalogue.ts';
import { type App, type SharedApp, scopeTo } from './scoped-app.ts';
import { openStatementRoom } from './statements.ts';

export type { App } from './scoped-app.ts';

export interface AppSettings {
  config: Config;
  source: 'live' | 'sandbox';
  version: string;
  /** Folder of the prompt files. */
  promptsFolder: string;
  log: Log;
  /** Runs statements, and is closed by whoever made it. @default one of its own */
  queryEngine?: QueryEngine;
  /** Closed with the application. */
  fleet?: Fleet;
  now?: () => number;
  /** The clock, chance and sockets of the client, where they are not the machine's own. */
  runtime?: Partial<Runtime>;
}

/** How much of earlier answers is kept, and how long. */
const keep = {
  maxBytes: 256 * 2 ** 20,
  maxResults: 2000,
  own: { maxBytes: 128 * 2 ** 20, maxResults: 500 },
  ttlMs: 30 * 60_000,
};

/** Longest that the first `tools/list` waits for the platform's own description. */
const settleWithinMs = 1000;

/**
 * When the description could not be read, how long until it is looked for again: soon, for a slip of
 * the moment; later, for a platform that is down.
 */
const completionRetriesMs = [1000, 10_000, 60_000, 600_000];

/** Builds everything once and begins to complete the catalogue in the background. */
export function createApp(settings: AppSettings): App {
  const { config, source, version, promptsFolder, log, fleet, now = Date.now } = settings;
  const activity = createActivity();
  const runtime = {
    ...settings.runtime,
    now,
    log(event: ClientEvent) {
      log.debug({ ...event }, 'platform');
      activity.notice(event);
    },
  };
  const client = createClient(config, runtime, fleet);
  if (fleet) logFleet(fleet, log);
  const shared = {
    client,
    source,
    now,
    maxRows: config.maxRows,
    reference: new ReferenceLists(client, now),
    productIds: new ProductIds(),
  };
  const catalogue = documentedCatalogue(config.toolsets);
  const statements = openStatementRoom(config, settings.queryEngine);
  const results = createResultStore({
    ...keep,
    now,
    ...(fleet && { archive: openArchive(fleet.results) }),
  });
  const stopped = new AbortController();
  const learn = (openapi: unknown) => {
    if (addsTooMuch(endpoints, openapi))
      log.warn({}, 'openapi.json lists too many parameters; the documented ones serve');
    else catalogue.complete(openapi);
    statements.describe(openapi);
  };
  const completed = completeCatalogue(client, learn, log, stopped.signal);
  const waited = sleep(settleWithinMs, undefined, { ref: false, signal: stopped.signal });
  let prompts: Promise<readonly Prompt[]> | undefined;

  const app: SharedApp = {
    shared,
    results,
    statementsOf: statements.statementsOf,
    catalogue,
    toolsets: config.toolsets,
    activity,
    ...(fleet && { fleet }),
    log,
    version,
    settled: Promise.race([completed, waited]).catch(() => {}),
    prompts: () => {
      prompts ??= import('../prompts/prompt-files.ts').then(({ readPrompts }) =>
        readPrompts(promptsFolder, (file, error) =>
          log.warn({ file, reason: error.message }, 'a prompt file was left out'),
        ),
      );
      return prompts;
    },
    async close() {
      stopped.abort();
      await statements.close();
      await client.close();
      await fleet?.close();
    },
  };
  // The process itself is a caller like any other: what it keeps is not for those on the same Redis.
  return scopeTo(app)({ id: `process:${randomUUID()}`, toolsets: config.toolsets });
}

function logFleet(fleet: Fleet, log: Log): void {
  const tell = ({ state, replicas }: FleetStatus, reason?: string) =>
    state === 'shared'
      ? log.info({ replicas }, 'shares the rate budget through Redis')
      : log.warn(
          { replicas, reason },
          'Redis is away: paces itself with a share of the rate budget',
        );
  fleet.onForeign((entry, reason) =>
    log.warn({ entry: quote(entry), reason }, 'an entry in Redis is not ours: it is passed over'),
  );
  tell(fleet.status());
  fleet.onChange(tell);
}

/** Resolves after the first attempt; goes on trying in the background when that failed. */
async function completeCatalogue(
  client: Client,
  learn: (openapi: unknown) => void,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const attempt = async (): Promise<boolean> => {
    try {
      learn(await client.openapi({ signal, isTriedOnce: true }));
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      // What is too long to be a description is worth a look; what is not there yet is not.
      const level = hasCode(error, 'too_large') ? 'warn' : 'debug';
      log[level]({ reason }, 'openapi.json could not be read; the documented parameters serve');
      return false;
    }
  };
  if (await attempt()) return;
  const goOn = async () => {
    for (const delay of completionRetriesMs) {
      await sleep(delay, undefined, { ref: false, signal });
      if (await attempt()) return;
    }
  };
  goOn().catch(() => {
    // Closed while waiting: there is nothing left to complete.
  });
}
