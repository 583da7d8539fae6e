import { randomUUID } from 'node:crypto';
import { briefFolders, readBriefHead } from '../../analysis/briefs/brief.ts';
import { endpointTool } from '../../analysis/define-tool.ts';
import { OrderLines } from '../../analysis/lines/order-lines.ts';
import { ProductIds } from '../../analysis/reference/product-ids.ts';
import { ReferenceLists } from '../../analysis/reference/reference.ts';
import { AllResults } from '../../analysis/results/store.ts';
import type { Services } from '../../analysis/services.ts';
import { speakFor } from '../../analysis/shape/roles.ts';
import { openRememberedFile } from '../../analysis/survey/remembered-file.ts';
import { AccountSurvey } from '../../analysis/survey/survey.ts';
import { StatementRuntime } from '../../analysis/tables/statements.ts';
import { analysisTools } from '../../analysis/tools.ts';
import { type Client, createClient, longReadBounds } from '../../client/client.ts';
import type { Fleet, FleetStatus } from '../../client/fleet/fleet.ts';
import type { Redis } from '../../client/fleet/redis.ts';
import { clientMessages } from '../../client/messages.ts';
import type { RateBudget } from '../../client/rate-limit/budget.ts';
import type { Runtime } from '../../client/transport/runtime.ts';
import { type Config, needsAuthentication } from '../../config/config.ts';
import { withDeadline } from '../../core/deadline.ts';
import { CommerceError, hasCode, reasonIn } from '../../core/errors.ts';
import { rememberFiles } from '../../core/files.ts';
import type { Log } from '../../core/message.ts';
import { LoopTurns } from '../../core/process/loop-turns.ts';
import { HeldBytes, MemoryPool } from '../../core/process/memory-pool.ts';
import { completeEndpoints } from '../../endpoints/complete-endpoints.ts';
import type { Toolset } from '../../endpoints/define.ts';
import { endpoints } from '../../endpoints/index.ts';
import type { SqlEngine } from '../../query/engine.ts';
import { followPrompts } from '../prompts/prompts.ts';
import {
  Activity,
  auditCalls,
  currentHeaders,
  type Report,
  type RequestOrigin,
} from '../telemetry/call-tracking.ts';
import { Catalogue } from '../tools/catalogue.ts';
import { figureViewAddress } from '../tools/figure-page.ts';

export interface AppSettings {
  config: Config;
  /** Undefined where the server has one account. */
  account?: string | undefined;
  source: 'live' | 'sandbox';
  log: Log;
  /** Folder that remembers the shape of an account, if no folder keeps order lines. @default none */
  cacheFolder?: string | undefined;
  /** Shared with other applications; the maker closes it. @default its own */
  queryEngine?: SqlEngine | undefined;
  redis?: Redis | undefined;
  budget?: RateBudget;
  memoryPools?: ReturnType<typeof openMemoryPools>;
  /** Exchanges the key while the description is read. */
  prepares?: true;
  now?: (() => number) | undefined;
  /** Clock, chance and sockets of the client that replace those of the machine. */
  runtime?: Partial<Runtime>;
  /** Longest wait for the platform's own description, in milliseconds. @default 1000 */
  describeWithinMs?: number | undefined;
}

const megabyte = 2 ** 20;

const resultBounds = { callerBytes: 128 * megabyte, callerResults: 500, ttlMs: 30 * 60_000 };

/** Memory that the applications of a process share, and their turns at work that blocks the event loop. */
export function openMemoryPools() {
  return {
    results: new MemoryPool(256 * megabyte),
    answers: new MemoryPool(128 * megabyte),
    longReads: new HeldBytes(longReadBounds),
    parsing: new LoopTurns(),
  };
}

/** The application for the process itself; `scopeTo` gives callers theirs. */
export async function createApp(settings: AppSettings): Promise<App> {
  const app = await openAccount(settings);
  // The process is a caller too, so others on the same Redis do not get its kept results.
  return scopeTo(app)({ id: `process:${randomUUID()}`, toolsets: app.toolsets });
}

/** Opens the parts that all callers share, so that a server for each request costs nothing. */
async function openAccount(settings: AppSettings) {
  const { config, source, log, account, now = Date.now } = settings;
  const { memoryPools = openMemoryPools() } = settings;
  const { longReads, parsing } = memoryPools;
  const { keepDir, maxRows, toolsets, definitions } = config;
  const activity = new Activity();
  if (log.writes('debug')) activity.on('platform', (event) => log.debug({ ...event }, 'platform'));
  const fleet = await openFleet(settings);
  const client = createClient(
    { ...config, account, longReads, parsing, cachePool: memoryPools.answers },
    { ...settings.runtime, now, log: (event) => activity.notice(event), headers: currentHeaders },
    fleet?.budget ?? settings.budget,
    fleet?.answers,
  );
  if (settings.prepares) client.prepare();
  const orderLines = keepDir ? new OrderLines({ ...config, client, keepDir, log }) : undefined;
  const description = await readDescription(client, log, settings.describeWithinMs);
  const servedEndpoints = completeEndpoints(endpoints, description.openapi);
  const parts = { client, now, maxRows, reference: new ReferenceLists({ client, now }) };
  const survey = new AccountSurvey({
    ...parts,
    endpoints: servedEndpoints,
    shared: fleet?.answers ?? openMemory(settings, now),
    log,
    openapi: () => description.openapi,
  });
  await survey.recall();
  const closing = new AbortController();
  const statements = openStatements(settings, survey, closing.signal);
  const { results: pool } = memoryPools;
  const results = new AllResults({ ...resultBounds, pool, now, shared: fleet?.results });
  let view: ReturnType<typeof figureViewAddress> | undefined;
  return {
    account,
    shared: {
      ...parts,
      log,
      origin: { source, account },
      productIds: new ProductIds(),
      orderLines,
      learn: survey.learn,
    },
    endpoints: servedEndpoints,
    results,
    survey,
    statements,
    toolsets,
    activity,
    log,
    closing: closing.signal,
    fleet,
    filesDir: config.filesDir,
    briefs: () => briefFolders(definitions),
    briefHead: rememberFiles(readBriefHead),
    prompts: followPrompts(definitions, log, () => activity.emit('prompts'), closing.signal),
    figureView() {
      view ??= figureViewAddress();
      return view;
    },
    /** Prepares the first call and statement, logs each call, and logs faults of definitions. */
    begin(level: 'debug' | 'audit') {
      auditCalls(activity, log, level);
      client.prepare();
      statements.definitions().catch(() => {});
    },
    /** Ends the application; running calls fail with the reason. */
    async close(reason = new CommerceError('cancelled', clientMessages.client_closed())) {
      closing.abort(reason);
      await statements.close();
      await orderLines?.close();
      await survey.close();
      await client.close();
      await fleet?.close();
      results.clear();
    },
  };
}

type SharedApp = Awaited<ReturnType<typeof openAccount>>;

/** The application as one caller sees it; over stdio that is the only client. */
export interface App extends SharedApp, Pick<Caller, 'linkFile'> {
  readonly services: Services;
  readonly catalogue: Catalogue;
  /** Runs a call of this caller: {@link Activity.track}. */
  track<Result>(tool: string, run: (report: Report) => Promise<Result>): Promise<Result>;
}

/** Signs a link to the rows that are kept under an id, as a file of this name. */
export type LinkFile = (file: { id: string; name: string; expiresAtMs: number }) => string;

export interface Caller {
  id: string;
  name?: string | undefined;
  toolsets: readonly Toolset[];
  /** The toolsets that a token with other scopes would open; missing for tokens without scopes. */
  grantable?: readonly Toolset[] | undefined;
  /** Undefined where the server has one account. */
  account?: string | undefined;
  /** Greatest share of the rate budget, from 0 to 1. @default 1 */
  share?: number | undefined;
  origin?: RequestOrigin;
  /** Signs links to their files, over HTTP. */
  linkFile?: LinkFile | undefined;
}

/** The application for each caller: their toolsets and kept results over the shared parts. */
export function scopeTo(app: SharedApp): (caller: Caller) => App {
  const catalogues = new Map<string, Catalogue>();

  return ({ id, name, toolsets: callerToolsets, origin, share, linkFile }) => {
    const toolsets = app.toolsets.filter((toolset) => callerToolsets.includes(toolset));
    const fence = new Set(toolsets);
    const key = toolsets.join();
    const survey = app.survey.forCaller(fence);
    const keepsLines = app.shared.orderLines !== undefined;
    // A catalogue keeps its texts, so that no connection sees them change when more is learnt.
    const catalogue =
      catalogues.get(key) ??
      new Catalogue(
        toolsets,
        app.endpoints,
        keepsLines,
        speakFor((tool) => survey.columnsOf(tool).columns),
      );
    catalogues.set(key, catalogue);
    const hasTool = (tool: string) => catalogue.find(tool) !== undefined;
    const parts = {
      ...app.shared,
      ...(name !== undefined && { client: app.shared.client.as(id, share) }),
      fence,
      hasTool,
      reference: app.shared.reference.forCaller(fence),
      results: app.results.forCaller({ owner: id, toolsets }),
      survey,
    };
    // Rows of statements are held for a caller with these toolsets only.
    const holder = JSON.stringify([id, toolsets]);
    const statements = app.statements.forCaller(parts, catalogue.list(), holder);
    return {
      ...app,
      toolsets,
      linkFile,
      catalogue,
      services: { ...parts, statements },
      prompts: async () => {
        const prompts = (await app.prompts()).filter(({ body }) => catalogue.hasToolsIn(body));
        return prompts.map((prompt) => ({ ...prompt, body: catalogue.speak(prompt.body) }));
      },
      track: (tool, run) => app.activity.track({ tool, caller: name, origin }, run),
    };
  };
}

function openStatements(
  { config, queryEngine: engine, log }: AppSettings,
  survey: AccountSurvey,
  closing: AbortSignal,
) {
  return new StatementRuntime({
    ...config,
    survey,
    engine,
    isShared: needsAuthentication(config),
    tools: [...endpoints.map(endpointTool), ...analysisTools],
    onProblem(problem) {
      if (!closing.aborted) log.warn({ ...problem }, 'a definition was left out');
    },
  });
}

/** A file remembers the account unless Redis does. */
function openMemory({ config, cacheFolder, log }: AppSettings, now: () => number) {
  const folder = config.keepDir ?? cacheFolder;
  return folder === undefined ? undefined : openRememberedFile({ ...config, folder, now, log });
}

/** Joins other processes on the key. Redis is loaded only where it is configured. */
async function openFleet({ config, account, redis, log }: AppSettings): Promise<Fleet | undefined> {
  const { redisUrl } = config;
  if (redisUrl === undefined) return undefined;
  let isFull = false;
  const onFull = () => {
    if (isFull) return;
    isFull = true;
    log.warn(
      {},
      'Redis is full: replicas share their budget, and neither answers nor kept results',
    );
  };
  const report = ({ state, replicas }: FleetStatus, reason?: string) => {
    if (state === 'shared') log.info({ replicas }, 'shares the rate budget through Redis');
    else
      log.warn({ replicas, reason }, 'Redis is away: paces itself with a share of the rate budget');
  };
  const { joinFleet } = await import('../../client/fleet/fleet.ts');
  const fleet = await joinFleet({ ...config, redisUrl, account, onFull }, redis);
  report(fleet.budget.status);
  fleet.budget.onChange = report;
  return fleet;
}

/** Waits for openapi.json during a start. A description that arrives later still names columns. */
async function readDescription(client: Client, log: Log, timeoutMs = 1000) {
  const description: { openapi?: unknown } = {};
  const reading = client.openapi().then(
    (openapi) => void Object.assign(description, { openapi }),
    (error: unknown) => {
      // A description that is too long is worth a warning; a missing one is not.
      const level = hasCode(error, 'too_large') ? 'warn' : 'debug';
      const message = 'openapi.json could not be read; the documented parameters are used';
      log[level]({ reason: reasonIn(error) }, message);
    },
  );
  await withDeadline({ ms: timeoutMs }, () => reading).catch(() => {});
  return description;
}
