import { randomUUID } from 'node:crypto';
import { OrderLines } from '../../analysis/lines/order-lines.ts';
import { ProductIds } from '../../analysis/reference/product-ids.ts';
import { ReferenceLists } from '../../analysis/reference/reference.ts';
import { AllResults } from '../../analysis/results/store.ts';
import type { DefinitionProblem } from '../../analysis/tables/definitions.ts';
import { type Client, createClient } from '../../client/client.ts';
import type { Fleet, FleetStatus } from '../../client/fleet/fleet.ts';
import type { Runtime } from '../../client/transport/runtime.ts';
import type { Config } from '../../config.ts';
import { hasCode } from '../../core/errors.ts';
import { completeEndpoints } from '../../endpoints/complete-endpoints.ts';
import { endpoints } from '../../endpoints/index.ts';
import type { SqlEngine } from '../../query/engine.ts';
import type { Prompt } from '../prompts/prompts.ts';
import { createActivity } from '../telemetry/call-tracking.ts';
import type { Log } from '../telemetry/log.ts';
import { type App, type SharedApp, scopeTo } from './scoped-app.ts';
import { StatementRoom } from './statements.ts';

export type { App } from './scoped-app.ts';

export interface AppSettings {
  config: Config;
  source: 'live' | 'sandbox';
  version: string;
  /** Folder of the prompt files. */
  promptsFolder: string;
  log: Log;
  /** Runs statements, and is closed by whoever made it. @default one of its own */
  queryEngine?: SqlEngine;
  /** Closed with the application. */
  fleet?: Fleet;
  now?: () => number;
  /** The clock, chance and sockets of the client, where they are not the machine's own. */
  runtime?: Partial<Runtime>;
  /** Longest wait for the platform's own description, in milliseconds. @default 1000 */
  describeWithinMs?: number;
}

/** How much of earlier answers is kept, and how long. */
const keep = {
  maxBytes: 256 * 2 ** 20,
  maxResults: 2000,
  own: { maxBytes: 128 * 2 ** 20, maxResults: 500 },
  ttlMs: 30 * 60_000,
};

/** Builds everything once, the catalogue completed by what the platform says of itself. */
export async function createApp(settings: AppSettings): Promise<App> {
  const { config, source, version, promptsFolder, log, fleet, now = Date.now } = settings;
  const activity = createActivity();
  if (log.writes('debug')) activity.onEvent((event) => log.debug({ ...event }, 'platform'));
  const runtime = { ...settings.runtime, now, log: activity.notice };
  const client = createClient(config, runtime, fleet);
  if (fleet) logFleet(fleet, log);
  const { keepDir } = config;
  const orderLines =
    keepDir === undefined
      ? undefined
      : new OrderLines({
          ...{ ...config, client, keepDir },
          onProblem: (problem) => log.warn({ problem }, 'kept order lines are not whole'),
        });
  const shared = {
    client,
    source,
    now,
    maxRows: config.maxRows,
    reference: new ReferenceLists(client, now),
    productIds: new ProductIds(),
    ...(orderLines && { orderLines }),
  };
  const results = new AllResults({
    ...keep,
    now,
    ...(fleet && { shared: fleet.results }),
  });
  const openapi = await readDescription(client, log, settings.describeWithinMs);
  const statements = new StatementRoom(config, openapi, settings.queryEngine);
  if (config.definitions !== undefined) logProblems(statements.problems(), log);
  let prompts: Promise<readonly Prompt[]> | undefined;

  const app: SharedApp = {
    shared,
    results,
    statements,
    endpoints: completeEndpoints(endpoints, openapi),
    toolsets: config.toolsets,
    activity,
    ...(fleet && { fleet }),
    log,
    version,
    prompts: () => {
      prompts ??= import('../prompts/prompt-files.ts').then(({ readPrompts }) =>
        [promptsFolder, ...(config.definitions ? [`${config.definitions}/prompts`] : [])]
          .flatMap((folder) =>
            readPrompts(folder, (file, error) =>
              log.warn({ file, reason: error.message }, 'a prompt file was left out'),
            ),
          )
          // Of two with one name, the first is the one that the documentation describes.
          .filter(({ name }, at, all) => all.findIndex((other) => other.name === name) === at),
      );
      return prompts;
    },
    async close() {
      await statements.close();
      await orderLines?.close();
      await client.close();
      await fleet?.close();
    },
  };
  // The process itself is a caller like any other: what it keeps is not for those on the same Redis.
  return scopeTo(app)({ id: `process:${randomUUID()}`, toolsets: config.toolsets });
}

/** Tells the broken definitions, when they are known: nothing waits for it. */
function logProblems(problems: Promise<readonly DefinitionProblem[]>, log: Log): void {
  problems.then(
    (found) => {
      for (const problem of found) log.warn({ ...problem }, 'a definition was left out');
    },
    (error: unknown) => log.warn({ reason: String(error) }, 'the definitions could not be read'),
  );
}

function logFleet(fleet: Fleet, log: Log): void {
  const tell = ({ state, replicas }: FleetStatus, reason?: string) =>
    state === 'shared'
      ? log.info({ replicas }, 'shares the rate budget through Redis')
      : log.warn(
          { replicas, reason },
          'Redis is away: paces itself with a share of the rate budget',
        );
  tell(fleet.status());
  fleet.onChange(tell);
}

/** The platform's openapi.json; without it the documented endpoints serve. */
async function readDescription(client: Client, log: Log, withinMs = 1000): Promise<unknown> {
  try {
    const signal = AbortSignal.timeout(withinMs);
    return await client.openapi(signal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // What is too long to be a description is worth a look; what is not there yet is not.
    const level = hasCode(error, 'too_large') ? 'warn' : 'debug';
    log[level]({ reason }, 'openapi.json could not be read; the documented parameters serve');
    return undefined;
  }
}
