import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { CallOptions } from '../../analysis/answer.ts';
import { nameWithId, type ReferenceEntry } from '../../analysis/reference/reference.ts';
import { InputError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { sayUnknown } from '../../core/nearest.ts';
import { version } from '../../core/program.ts';
import { quote } from '../../core/text.ts';
import type { App } from '../app/app.ts';
import { fillPrompt, type Prompt } from '../prompts/prompts.ts';
import { allTools } from '../resources/definitions.ts';
import { figureViewAddress, viewExtension, viewMimeType } from '../resources/figure-page.ts';
import { listResources, listResourceTemplates, readResource } from '../resources/resources.ts';
import { callTool, invalidParams } from './call-tool.ts';
import { complete } from './completion.ts';
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
    { name: 'commerce-mcp', title: 'Commerce', version },
    {
      capabilities: {
        tools: {},
        resources: {},
        prompts: {},
        completions: {},
        extensions: { [viewExtension]: { mimeTypes: [viewMimeType] } },
      },
      cacheHints: listCacheHints,
      instructions: catalogue.say(instructions(services.now(), services.origin.source)),
    },
  );

  const markResourceRead = useLegacyNotFoundCode(server);

  server.setRequestHandler('tools/list', async ({ params }) => {
    refuseCursor(params);
    return { tools: catalogue.listing(await figureViewAddress()) };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) =>
    withProgress(context, (call) => {
      const answered = answeredLocation(context);
      const args = { ...params.arguments, ...answered };
      const ask = (locations: readonly ReferenceEntry[]) =>
        canAskUser(server, context) ? askLocation(params.name, locations) : undefined;
      return callTool(app, params.name, args, {
        ...call,
        askLocation: answered ? undefined : ask,
      });
    }),
  );

  server.setRequestHandler('resources/list', async ({ params }) => {
    refuseCursor(params);
    return { resources: await listResources(toolsets) };
  });
  server.setRequestHandler('resources/templates/list', async ({ params }) => {
    refuseCursor(params);
    return { resourceTemplates: listResourceTemplates(toolsets) };
  });
  server.setRequestHandler('resources/read', async ({ params }, context) => {
    markResourceRead(context);
    return withProgress(context, (call) => readResource(app, params.uri, call));
  });

  server.setRequestHandler('prompts/list', async ({ params }) => {
    refuseCursor(params);
    const prompts = (await promptsFor(app)).map((prompt) => ({
      ...{ name: prompt.name, title: prompt.title, description: prompt.description },
      arguments: prompt.arguments.map(({ name, description, required }) => {
        return { name, description, required };
      }),
    }));
    return { prompts };
  });
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: args = {} } }) => {
    const prompts = await promptsFor(app);
    const prompt = prompts.find((it) => it.name === name);
    const names = prompts.map((it) => it.name);
    if (prompt === undefined) throw invalidParams(sayUnknown('prompt', name, names));
    const content = { type: 'text' as const, text: fill(prompt, args) };
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
    throw invalidParams(
      `There is no page "${quote(cursor, 60)}": this list is one page. Leave cursor out.`,
    );
}

/** The prompts whose tools the caller has, all of them. */
async function promptsFor({ catalogue, prompts }: App): Promise<readonly Prompt[]> {
  const lacking = allTools.filter((tool) => catalogue.find(tool) === undefined);
  return (await prompts()).filter(
    ({ body }) => !lacking.some((tool) => new RegExp(`\\b${tool}\\b`).test(body)),
  );
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

function fill(prompt: Prompt, args: Readonly<Record<string, string>>): string {
  try {
    return fillPrompt(prompt, args);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw invalidParams(error.message);
  }
}

/** The key under which a question travels to the client and its answer comes back. */
const locationKey = 'location';

const chosenLocation = z.object({ location: z.string() });

const asker = z.looseObject({
  elicitation: z.looseObject({ form: z.unknown(), url: z.unknown() }).partial().optional(),
});

/**
 * Whether the client can put a question with a form to its user: said with each request since the
 * 2026-07-28 revision, and once at the beginning before.
 */
function canAskUser(server: Server, { mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const { elicitation } = asker.safeParse(declared).data ?? {};
  // Before the modes were named, an empty object meant forms.
  return elicitation !== undefined && (elicitation.form !== undefined || !elicitation.url);
}

/**
 * Asks the user which location a report is about: a scope of several locations is refused until one
 * is named (docs/platform.md#report-scope). The call comes back with the answer.
 */
function askLocation(tool: string, locations: readonly ReferenceEntry[]): InputRequiredResult {
  const names = locations.map(nameWithId);
  const location = { type: 'string' as const, title: 'Location', enum: names };
  const question = inputRequired.elicit({
    message: `${tool}: this key sees several locations, and the report is about one. Which one?`,
    requestedSchema: { type: 'object', properties: { location }, required: ['location'] },
  });
  return inputRequired({ inputRequests: { [locationKey]: question } });
}

/** The location that the user chose, as an argument; undefined unless they have been asked. */
function answeredLocation({ mcpReq }: ServerContext): JsonObject | undefined {
  const { inputResponses } = mcpReq;
  if (inputResponses === undefined || !(locationKey in inputResponses)) return undefined;
  const answer = acceptedContent(inputResponses, locationKey, chosenLocation)?.location ?? '';
  const id = /(\d+)\)?$/.exec(answer)?.[1];
  return id === undefined ? {} : { location_id: id };
}

/** The code of revisions before 2026-07-28 for a resource that does not exist; the SDK sends -32602 to every client. */
const resourceNotFound = -32002;

/**
 * Wraps the transport: for the requests marked by the returned function, an error whose data is `{uri}` is sent
 * with -32002, the code of the client's own, older revision.
 */
function useLegacyNotFoundCode(server: Server): (context: ServerContext) => void {
  const markedIds = new Set<unknown>();
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      const isAnswer = 'id' in message && !('method' in message);
      if (!isAnswer || !markedIds.delete(message.id) || !('error' in message))
        return send(message, options);
      const { error } = message;
      const isMissing = Object.keys(Object(error.data)).join() === 'uri';
      const code = isMissing ? resourceNotFound : error.code;
      return send({ ...message, error: { ...error, code } }, options);
    };
    await connect(transport);
  };
  return ({ mcpReq: { id, envelope, signal } }) => {
    // Since 2026-07-28 each request names its revision, and gets the code of the SDK.
    if (envelope !== undefined) return;
    markedIds.add(id);
    // A cancelled request gets no answer.
    signal.addEventListener('abort', () => markedIds.delete(id), { once: true });
  };
}
