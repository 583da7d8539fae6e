import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { CallOptions } from '../../analysis/answer.ts';
import type { ReferenceEntry } from '../../analysis/reference/reference.ts';
import { analysisTools } from '../../analysis/tools.ts';
import { InputError } from '../../core/errors.ts';
import { endpoints } from '../../endpoints/index.ts';
import type { App } from '../app/app.ts';
import { fillPrompt, type Prompt } from '../prompts/prompts.ts';
import { figureViewAddress, viewExtension, viewMimeType } from '../resources/figure-page.ts';
import { listResources, listResourceTemplates, readResource } from '../resources/resources.ts';
import { callTool, unknownName } from './call-tool.ts';
import { complete } from './completion.ts';
import { answeredLocation, askLocation, canAskUser } from './elicit-location.ts';
import { instructions } from './instructions.ts';
import { ProgressReporter } from './progress.ts';

/** Lists never change while the server runs; an hour, for it may be started anew with other settings. */
const listCache = { ttlMs: 3_600_000, cacheScope: 'private' } as const;

const listCacheHints = {
  'tools/list': listCache,
  'prompts/list': listCache,
  'resources/list': listCache,
  'resources/templates/list': listCache,
};

/**
 * One MCP server instance for a connection or a request. Everything costly lives in `app`; this
 * only wires handlers, so that an instance per HTTP request costs nothing.
 */
export function createServer(app: App): Server {
  const { services, catalogue, toolsets } = app;
  const server = new Server(
    { name: 'commerce-mcp', title: 'Commerce', version: app.version },
    {
      capabilities: {
        tools: {},
        resources: {},
        prompts: {},
        completions: {},
        extensions: { [viewExtension]: { mimeTypes: [viewMimeType] } },
      },
      cacheHints: listCacheHints,
      instructions: catalogue.say(instructions(services.now(), services.source)),
    },
  );

  server.setRequestHandler('tools/list', async () => ({
    tools: catalogue.listing(await figureViewAddress()),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) =>
    withProgress(context, (call) => {
      const answered = answeredLocation(context);
      const given = { ...params.arguments, ...answered };
      const ask = (locations: readonly ReferenceEntry[]) =>
        canAskUser(server, context) ? askLocation(params.name, locations) : undefined;
      return callTool(app, params.name, given, {
        ...call,
        askLocation: answered ? undefined : ask,
      });
    }),
  );

  server.setRequestHandler('resources/list', async () => ({
    resources: await listResources(toolsets),
  }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: listResourceTemplates(toolsets),
  }));
  server.setRequestHandler('resources/read', async ({ params }, context) =>
    withProgress(context, (call) => readResource(app, params.uri, call)),
  );

  server.setRequestHandler('prompts/list', async () => ({
    prompts: (await promptsFor(app)).map(({ name, title, description, arguments: taken }) => ({
      ...{ name, title, description },
      arguments: taken.map(({ name, description, required }) => ({ name, description, required })),
    })),
  }));
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: given = {} } }) => {
    const prompts = await promptsFor(app);
    const prompt = prompts.find((it) => it.name === name);
    const names = prompts.map((it) => it.name);
    if (prompt === undefined) throw unknownName('prompt', name, names);
    const content = { type: 'text' as const, text: fill(prompt, given) };
    return { description: prompt.description, messages: [{ role: 'user' as const, content }] };
  });

  server.setRequestHandler('completion/complete', async ({ params }, context) => ({
    completion: await complete(app, params.ref, params.argument, context.mcpReq.signal),
  }));

  return server;
}

/** The prompts whose tools the caller has, all of them. */
async function promptsFor({ catalogue, prompts }: App): Promise<readonly Prompt[]> {
  const lacking = allTools.filter((tool) => catalogue.find(tool) === undefined);
  return (await prompts()).filter(
    ({ body }) => !lacking.some((tool) => new RegExp(`\\b${tool}\\b`).test(body)),
  );
}

const allTools = [...endpoints, ...analysisTools].map(({ tool }) => tool);

async function withProgress<Result>(
  { mcpReq }: ServerContext,
  run: (call: CallOptions) => Promise<Result>,
): Promise<Result> {
  const progressToken = mcpReq._meta?.progressToken;
  const call: CallOptions = { signal: mcpReq.signal };
  if (progressToken === undefined) return run(call);
  const reporter = new ProgressReporter((report) => {
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, ...report } })
      .catch(() => {
        // The client has gone; the call itself is cancelled by its signal.
      });
  });
  try {
    return await run({ ...call, onProgress: (progress) => reporter.report(progress) });
  } finally {
    reporter.stop();
  }
}

function fill(prompt: Prompt, given: Readonly<Record<string, string>>): string {
  try {
    return fillPrompt(prompt, given);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
  }
}
