import { McpServer, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { CallOptions } from '../../analysis/answer.ts';
import { InputError } from '../../core/errors.ts';
import { unknownName } from '../../core/nearest.ts';
import { version } from '../../core/program.ts';
import type { App } from '../app/app.ts';
import { fillPrompt } from '../prompts/prompts.ts';
import { skillSource } from '../prompts/skills.ts';
import { readAccountGuide } from '../resources/guide.ts';
import { listResources, listResourceTemplates, readResource } from '../resources/resources.ts';
import { failureOf } from '../telemetry/call-tracking.ts';
import { viewExtension, viewMimeType } from '../tools/figure-page.ts';
import { callTool, invalidParams } from './call-tool.ts';
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
  const { services, catalogue, toolsets } = app;
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
  // The handlers below take the place of its own: other clients see nothing of skills.
  const { server } = mcp;

  /** Every list is one page, and nothing gave a cursor for another. */
  const refuseCursor = ({ cursor }: { cursor?: string | undefined } = {}) => {
    if (cursor === undefined) return;
    const text = app.reader.say({ code: 'list_is_one_page', cursor });
    throw invalidParams(text, { code: 'bad_input', argument: 'cursor' });
  };

  server.setRequestHandler('tools/list', async ({ params }) => {
    refuseCursor(params);
    return { tools: catalogue.listing(await app.figureView()) };
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
    if (uri.startsWith('skill:')) {
      const skill = await app.track('skill', () => skills.read(uri, context));
      if (skill !== undefined) return { contents: [{ uri, ...skill }] };
    }
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
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: args } }) =>
    getPrompt(app, name, args),
  );

  server.setRequestHandler('completion/complete', async ({ params }, context) => ({
    completion: await complete(app, params.ref, params.argument, context.mcpReq.signal),
  }));

  return server;
}

async function withProgress<Result>(
  { mcpReq }: ServerContext,
  run: (call: CallOptions) => Promise<Result>,
): Promise<Result> {
  const { signal, _meta: { progressToken } = {} } = mcpReq;
  if (progressToken === undefined) return run({ signal });
  const reporter = new ProgressReporter((report) => {
    const params = { progressToken, ...report };
    // Fails where the client has gone; the call itself is cancelled by its signal.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  });
  try {
    return await run({ signal, onProgress: (progress) => reporter.report(progress) });
  } finally {
    reporter.stop();
  }
}

async function getPrompt({ prompts, reader }: App, name: string, args = {}) {
  const all = await prompts();
  const prompt = all.find((it) => it.name === name);
  if (prompt === undefined) {
    const names = all.map((it) => it.name);
    throw invalidParams(reader.say(unknownName('prompt', name, names)), { code: 'not_found' });
  }
  try {
    const content = { type: 'text' as const, text: fillPrompt(prompt, args) };
    return { description: prompt.description, messages: [{ role: 'user' as const, content }] };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw invalidParams(reader.say(error.reason), failureOf(error));
  }
}
