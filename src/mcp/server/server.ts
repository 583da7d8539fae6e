import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { CallOptions } from '../../analysis/answer.ts';
import type { ReferenceEntry } from '../../analysis/reference/reference.ts';
import { InputError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { quote } from '../../core/text.ts';
import type { App } from '../app/app.ts';
import { fillPrompt, type Prompt } from '../prompts/prompts.ts';
import { figureViewAddress, viewExtension, viewMimeType } from '../resources/figure-view.ts';
import { listTools } from '../tools/list-tools.ts';
import { namesLacking, speakTo } from '../tools/speak-to.ts';
import { answeredLocation, askLocation, canAskUser } from './elicit-location.ts';
import { instructions } from './instructions.ts';
import { createProgressReporter } from './progress.ts';

/** What answers calls and reads resources is loaded when the first is asked, or is about to be. */
const answering = () => import('./answering.ts');

/** A client that lists the tools does so sooner; who knows them already is about to call one. */
const listsWithinMs = 500;

/**
 * How a client hears that the tools changed: from the instance that serves it, through a
 * subscription that somebody else holds open, or not at all.
 */
export type ChangeNews = 'told' | 'published' | 'unheard';

/**
 * One MCP server instance for a connection or a request. Everything costly lives in `app`; this
 * only wires handlers, so that an instance per HTTP request costs nothing.
 */
export function createServer(app: App, changes: ChangeNews = 'told'): Server {
  const { services, catalogue, toolsets } = app;
  const server = new Server(
    { name: 'commerce-mcp', title: 'Commerce', version: app.version },
    {
      capabilities: {
        tools: { listChanged: changes !== 'unheard' },
        resources: {},
        prompts: {},
        completions: {},
        extensions: { [viewExtension]: { mimeTypes: [viewMimeType] } },
      },
      instructions: speakTo(catalogue)(instructions(services.now(), services.source)),
    },
  );

  server.oninitialized = () => setTimeout(answering, listsWithinMs).unref();
  server.setRequestHandler('tools/list', async () => {
    const [address] = await Promise.all([figureViewAddress(), app.settled]);
    // Once the list has left: what comes next is a call.
    setImmediate(answering);
    return { tools: [...listTools(catalogue, address)] };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) =>
    withProgress(context, async (call) => {
      const { callTool } = await answering();
      const { wasAsked, locationId } = answeredLocation(context);
      const given = locationId === undefined ? {} : { location_id: locationId };
      const ask = (locations: readonly ReferenceEntry[]) => askLocation(params.name, locations);
      return callTool(
        app,
        params.name,
        { ...params.arguments, ...given },
        call,
        !wasAsked && canAskUser(server, context) ? ask : undefined,
      );
    }),
  );

  server.setRequestHandler('resources/list', async () => ({
    resources: await (await answering()).listResources(toolsets),
  }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: (await answering()).listResourceTemplates(toolsets),
  }));
  server.setRequestHandler('resources/read', async ({ params }, context) =>
    withProgress(context, async (call) =>
      (await answering()).readResource(app, toolsets, params.uri, call),
    ),
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
    completion: await (await answering()).complete(
      app,
      params.ref,
      params.argument,
      context.mcpReq.signal,
    ),
  }));

  if (changes === 'told')
    server.onclose = catalogue.onChange(() => {
      server.sendToolListChanged().catch(() => {
        // The client has gone; there is nobody left to tell.
      });
    });
  return server;
}

/** The prompts whose tools the caller has, all of them. */
async function promptsFor(app: App): Promise<readonly Prompt[]> {
  const prompts = await app.prompts();
  return prompts.filter(({ body }) => !namesLacking(app.catalogue, body));
}

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
