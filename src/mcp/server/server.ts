import {
  type CompleteRequest,
  type CompleteResult,
  McpServer,
  type PaginatedRequest,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { CallOptions } from '../../analysis/answer.ts';
import { foldName, referenceKinds } from '../../analysis/reference/reference.ts';
import { InputError } from '../../core/errors.ts';
import { unknownName } from '../../core/nearest.ts';
import { periodWords } from '../../core/periods.ts';
import { version } from '../../core/program.ts';
import { quote } from '../../core/text.ts';
import type { App } from '../app/app.ts';
import { fillPrompt } from '../prompts/prompts.ts';
import { skillSource } from '../prompts/skills.ts';
import { maxCompletions } from '../resources/definitions.ts';
import { readAccountGuide } from '../resources/guide.ts';
import {
  completeVariable,
  listResources,
  listResourceTemplates,
  readResource,
} from '../resources/resources.ts';
import { failureOf } from '../telemetry/call-tracking.ts';
import { viewExtension, viewMimeType } from '../tools/figure-page.ts';
import { callTool, invalidParams } from './call-tool.ts';
import { instructions } from './instructions.ts';
import { ProgressReporter } from './progress.ts';

/**
 * Tools do not change while the server runs, and prompts announce changes. One hour, because it may restart with
 * other settings.
 */
const listCache = { ttlMs: 3_600_000, cacheScope: 'private' } as const;

const listCacheHints = {
  'tools/list': listCache,
  'prompts/list': listCache,
  'resources/list': listCache,
  'resources/templates/list': listCache,
};

/** An MCP server for one connection or request. It only wires handlers; `app` holds everything that is costly. */
export function createServer(app: App): Server {
  const { services, catalogue } = app;
  const mcp = new McpServer(
    { name: 'commerce-mcp', title: 'Commerce', version },
    {
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        extensions: { [viewExtension]: { mimeTypes: [viewMimeType] } },
      },
      cacheHints: listCacheHints,
      instructions: catalogue.say(instructions(services.now(), services.origin.source)),
    },
  );
  const skills = skillSource(app.prompts, (signal) => readAccountGuide(app, signal));
  new SkillsExtension({ source: skills, cacheHint: listCache }).attach(mcp);
  // The handlers below replace the extension's own, so clients without it see no skills.
  const { server } = mcp;

  serveLists(server, app);
  server.setRequestHandler('tools/call', async ({ params }, context) =>
    withProgress(context, (call) => callTool(app, params.name, params.arguments ?? {}, call)),
  );

  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    if (uri.startsWith('skill:')) {
      const skill = await app.track('skill', () => skills.read(uri, context));
      if (skill !== undefined) return { contents: [{ uri, ...skill }] };
    }
    return withProgress(context, (call) => readResource(app, uri, call));
  });
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: args } }) =>
    getPrompt(app, name, args),
  );
  server.setRequestHandler('completion/complete', async ({ params }, context) => ({
    completion: await complete(app, params, context.mcpReq.signal),
  }));

  return server;
}

function serveLists(server: Server, app: App): void {
  /** Every list is one page, so no cursor is valid. */
  const onePage =
    <List>(list: () => Promise<List>) =>
    async ({ params: { cursor } = {} }: Pick<PaginatedRequest, 'params'>) => {
      if (cursor === undefined) return list();
      const text = `There is no page "${quote(cursor, 60)}": this list is one page. Leave cursor out.`;
      throw invalidParams(text, { code: 'bad_input', argument: 'cursor' });
    };
  const tools = async () => ({ tools: app.catalogue.listing(await app.figureView()) });
  const resources = async () => ({ resources: await listResources(app) });
  const templates = async () => ({ resourceTemplates: listResourceTemplates(app.toolsets) });
  const prompts = async () => ({
    prompts: (await app.prompts()).map((prompt) => ({
      name: prompt.name,
      title: prompt.title,
      description: prompt.description,
      arguments: prompt.arguments.map(({ name, description, required }) => {
        return { name, description, required };
      }),
    })),
  });
  server.setRequestHandler('tools/list', onePage(tools));
  server.setRequestHandler('resources/list', onePage(resources));
  server.setRequestHandler('resources/templates/list', onePage(templates));
  server.setRequestHandler('prompts/list', onePage(prompts));
}

async function withProgress<Result>(
  { mcpReq }: ServerContext,
  run: (call: CallOptions) => Promise<Result>,
): Promise<Result> {
  const { signal, _meta: { progressToken } = {} } = mcpReq;
  if (progressToken === undefined) return run({ signal });
  const reporter = new ProgressReporter((report) => {
    const params = { progressToken, ...report };
    // Fails if the client has gone; its signal cancels the call.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  });
  try {
    return await run({ signal, onProgress: (progress) => reporter.report(progress) });
  } finally {
    reporter.stop();
  }
}

async function getPrompt({ prompts }: App, name: string, args = {}) {
  const all = await prompts();
  const prompt = all.find((candidate) => candidate.name === name);
  if (prompt === undefined) {
    const names = all.map((candidate) => candidate.name);
    throw invalidParams(unknownName('prompt', name, names).text, { code: 'not_found' });
  }
  try {
    const content = { type: 'text' as const, text: fillPrompt(prompt, args) };
    return { description: prompt.description, messages: [{ role: 'user' as const, content }] };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw invalidParams(error.reason.text, failureOf(error));
  }
}

/** Values from live data, those that begin with the typed text first. None if the platform cannot be asked. */
async function complete(
  app: App,
  { ref, argument }: CompleteRequest['params'],
  signal: AbortSignal,
): Promise<CompleteResult['completion']> {
  if (argument.value.length > maxTyped) return { values: [], total: 0, hasMore: false };
  const values = await candidates(app, ref, argument, signal).catch(() => []);
  const typed = foldName(argument.value);
  const begins = (value: string) => Number(foldName(value).startsWith(typed));
  const ranked = [...new Set(values)]
    .filter((value) => foldName(value).includes(typed))
    .sort((a, b) => begins(b) - begins(a));
  return {
    values: ranked.slice(0, maxCompletions),
    total: ranked.length,
    hasMore: ranked.length > maxCompletions,
  };
}

const maxTyped = 200;

async function candidates(
  app: App,
  target: CompleteRequest['params']['ref'],
  { name, value }: { name: string; value: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (target.type === 'ref/resource') return completeVariable(app, name, value, signal);
  const prompt = (await app.prompts()).find(({ name }) => name === target.name);
  const source = prompt?.arguments.find((candidate) => candidate.name === name)?.complete;
  if (source === undefined) return [];
  if (typeof source !== 'string') return source;
  if (source === 'period') return periodWords;
  const kind = referenceKinds.find((candidate) => candidate === source);
  // Throws for a caller without the toolset of the list, who gets no values.
  const entries = kind && (await app.services.reference.listForDisplay(kind, signal));
  return entries?.map((entry) => entry.name) ?? [];
}
