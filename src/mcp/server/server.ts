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
import { nearest } from '../../core/nearest.ts';
import { quote } from '../../core/text.ts';
import { endpoints } from '../../endpoints/index.ts';
import type { App } from '../app/app.ts';
import { fillPrompt, type Prompt } from '../prompts/prompts.ts';
import { figureViewAddress, viewExtension, viewMimeType } from '../resources/figure-page.ts';
import { listResources, listResourceTemplates, readResource } from '../resources/resources.ts';
import { callTool } from './call-tool.ts';
import { complete } from './completion.ts';
import { answeredLocation, askLocation, canAskUser } from './elicit-location.ts';
import { instructions } from './instructions.ts';
import { createProgressReporter } from './progress.ts';

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
    withProgress(context, async (call) => {
      const isAnswer = context.mcpReq.inputResponses !== undefined;
      const answered = isAnswer ? answeredLocation(context) : undefined;
      const ask = (locations: readonly ReferenceEntry[]) =>
        canAskUser(server, context) ? askLocation(params.name, locations) : undefined;
      const given = { ...params.arguments, ...answered };
      return callTool(app, params.name, given, call, answered ? undefined : ask);
    }),
  );

  server.setRequestHandler('resources/list', async () => ({
    resources: await listResources(toolsets),
  }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: listResourceTemplates(toolsets),
  }));
  server.setRequestHandler('resources/read', async ({ params }, context) =>
    withProgress(context, (call) => readResource(app, toolsets, params.uri, call)),
  );

  server.setRequestHandler('prompts/list', async () => ({
    prompts: (await promptsFor(app)).map(({ name, title, description, arguments: taken }) => ({
      name,
      title,
      description,
      arguments: taken.map(({ name: argument, description: about, required }) => ({
        name: argument,
        description: about,
        required,
      })),
    })),
  }));
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const prompts = await promptsFor(app);
    const prompt = prompts.find(({ name }) => name === params.name);
    if (prompt === undefined) throw unknownPrompt(params.name, prompts);
    return {
      description: prompt.description,
      messages: [
        {
          role: 'user' as const,
          content: {
            type: 'text' as const,
            text: fill(() => fillPrompt(prompt, params.arguments ?? {})),
          },
        },
      ],
    };
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
  const reporter = createProgressReporter((report) => {
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, ...report } })
      .catch(() => {
        // The client has gone; the call itself is cancelled by its signal.
      });
  });
  try {
    return await run({ ...call, onProgress: reporter.report });
  } finally {
    reporter.stop();
  }
}

function fill(run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
  }
}

function unknownPrompt(name: string, prompts: readonly { name: string }[]): ProtocolError {
  const names = prompts.map((prompt) => prompt.name);
  const meant = nearest(name, names);
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no prompt "${quote(name, 60)}". ${meant ? `Did you mean ${meant}?` : `The prompts are: ${names.join(', ')}.`}`,
  );
}
