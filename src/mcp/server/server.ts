import {
  McpServer,
  type ProtocolError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { CallOptions } from '../../analysis/answer.ts';
import { InputError } from '../../core/errors.ts';
import type { Message } from '../../core/message.ts';
import { unknownName } from '../../core/nearest.ts';
import { version } from '../../core/program.ts';
import { modelReader, outsideReader } from '../answers/catalogue/catalogue.ts';
import type { App } from '../app/app.ts';
import { fillPrompt, type Prompt } from '../prompts/prompts.ts';
import { skillSource } from '../prompts/skills.ts';
import { figureViewAddress, viewExtension, viewMimeType } from '../resources/figure-page.ts';
import { readAccountGuide } from '../resources/guide.ts';
import { listResources, listResourceTemplates, readResource } from '../resources/resources.ts';
import { type Failure, failureOf, invalidParams } from '../telemetry/failure.ts';
import { callTool } from './call-tool.ts';
import { complete } from './completion.ts';
import { instructions } from './instructions.ts';
import { ProgressReporter } from './progress.ts';

declare module '../../core/message.ts' {
  interface Messages {
    list_is_one_page: { cursor: string };
  }
}

/** Tools never change while the server runs, and it tells when prompts do; an hour, for it may start anew with other settings. */
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
  const { services, catalogue, toolsets, activity, caller, origin } = app;
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
  const readSkill = (...request: Parameters<typeof skills.read>) =>
    activity.track({ tool: 'skill', caller, origin }, () => skills.read(...request));
  // The handlers below take the place of its own: other clients see nothing of skills.
  const { server } = mcp;

  server.setRequestHandler('tools/list', async ({ params }) => {
    refuseCursor(params);
    return { tools: catalogue.listing(await figureViewAddress()) };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) =>
    withProgress(context, (call) => callTool(app, params.name, params.arguments ?? {}, call)),
  );

  server.setRequestHandler('resources/list', async ({ params }) => {
    refuseCursor(params);
    return { resources: await listResources(app) };
  });
  server.setRequestHandler('resources/templates/list', async ({ params }) => {
    refuseCursor(params);
    return { resourceTemplates: listResourceTemplates(toolsets) };
  });
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const skill = uri.startsWith('skill:') ? await readSkill(uri, context) : undefined;
    if (skill !== undefined) return { contents: [{ uri, ...skill }] };
    return withProgress(context, (call) => readResource(app, uri, call));
  });

  server.setRequestHandler('prompts/list', async ({ params }) => {
    refuseCursor(params);
    const prompts = (await app.prompts()).map((prompt) => ({
      ...{ name: prompt.name, title: prompt.title, description: prompt.description },
      arguments: prompt.arguments.map(({ name, description, required }) => {
        return { name, description, required };
      }),
    }));
    return { prompts };
  });
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: args = {} } }) => {
    const prompts = await app.prompts();
    const prompt = prompts.find((it) => it.name === name);
    const names = prompts.map((it) => it.name);
    if (prompt === undefined)
      throw badPrompt(unknownName('prompt', name, names), app, { code: 'not_found' });
    const content = { type: 'text' as const, text: fill(prompt, args, app) };
    return { description: prompt.description, messages: [{ role: 'user' as const, content }] };
  });

  server.setRequestHandler('completion/complete', async ({ params }, context) => ({
    completion: await complete(app, params.ref, params.argument, context.mcpReq.signal),
  }));

  return server;
}

/** Every list is one page, and nothing gave a cursor for another. */
function refuseCursor({ cursor }: { cursor?: string | undefined } = {}): void {
  if (cursor !== undefined)
    throw invalidParams(outsideReader.say({ code: 'list_is_one_page', cursor }), {
      ...{ code: 'bad_input', argument: 'cursor' },
    });
}

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

function fill(prompt: Prompt, args: Readonly<Record<string, string>>, app: App): string {
  try {
    return fillPrompt(prompt, args);
  } catch (error) {
    throw error instanceof InputError ? badPrompt(error.reason, app, failureOf(error)) : error;
  }
}

function badPrompt(reason: Message, { services }: App, failure: Failure): ProtocolError {
  return invalidParams(modelReader(services.hasTool).say(reason), failure);
}
