import {
  type JsonSchemaType,
  Client as NewClient,
  StreamableHTTPClientTransport as NewHttp,
  type RequestOptions,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { z } from 'zod';
import { isRecord, type JsonObject } from '../src/core/json.ts';
import { type Warning, warningCodes } from '../src/core/message.ts';

/** The answer to a tool call, in parts that a test looks at. */
export interface ToolAnswer {
  isError: boolean;
  /** All text blocks. */
  text: string;
  /** The structured answer; empty on errors. */
  body: JsonObject;
  context: JsonObject;
  /** What its context warns of, none where it does not. */
  warnings: Warning[];
  /** Its rows, none where it is one object. */
  rows: JsonObject[];
  /** Addresses of resource links. */
  links: string[];
  /** Why there is no answer, for programs. */
  failure: unknown;
}

export type CallOptions = Pick<RequestOptions, 'signal' | 'onprogress'>;

/** What every client of the protocol can do, in one form for all of them. */
export type Connection = ReturnType<typeof asConnection> & {
  /** The protocol revision that was agreed on. */
  version(): string | undefined;
  /** Rejects for protocol errors; the client itself holds the answer against the output schema. */
  call(tool: string, args?: JsonObject, options?: CallOptions): Promise<ToolAnswer>;
};

export type ListedTool = Awaited<ReturnType<Connection['listTools']>>['tools'][number];

/** A connection of the 2.x client, with the client itself. */
export type NewConnection = Connection & { client: NewClient };

/** The clients that the server is tested with. */
export type ClientName = keyof typeof modes;

/** How each agrees on a revision; the 1.x client has no say in it. */
const modes = {
  'the 1.x SDK': undefined,
  'the 2.x client': 'legacy',
  'the 2.x client that negotiates': 'auto',
  'the 2.x client pinned to 2026-07-28': { pin: '2026-07-28' },
} as const;

const ajv = new AjvJsonSchemaValidator();
const known = new Map<string, JsonSchemaType>();

/** What clients hold answers against: each schema is compiled once for all clients of a worker. */
const jsonSchemaValidator = {
  getValidator<T>(schema: JsonSchemaType) {
    const text = JSON.stringify(schema);
    // The library keeps what it made of an object.
    const same = known.get(text) ?? schema;
    known.set(text, same);
    return ajv.getValidator<T>(same);
  },
};

const identity = { name: 'commerce-mcp-tests', version: '1.0.0' };

/** Connects to a server over HTTP, or to a process that it starts. */
export function connectAs(name: ClientName, to: URL | Start): Promise<Connection> {
  const mode = modes[name];
  if (mode !== undefined)
    return connectNew(to instanceof URL ? new NewHttp(to) : listen(new NewStdio(to), to), mode);
  // The 1.x transport declares its session id otherwise than its own interface asks.
  if (to instanceof URL) return connectOld(new OldHttp(to) as Parameters<typeof connectOld>[0]);
  return connectOld(listen(new OldStdio(to), to));
}

/** A process to start, and who reads its stderr. */
export interface Start {
  command: string;
  args: string[];
  env: Record<string, string>;
  stderr: 'pipe';
  onPrinted: (text: string) => void;
}

function listen<T extends OldStdio | NewStdio>(transport: T, { onPrinted }: Start): T {
  transport.stderr?.on('data', (chunk: Buffer) => onPrinted(chunk.toString()));
  return transport;
}

async function connectOld(transport: Parameters<OldClient['connect']>[0]): Promise<Connection> {
  const client = new OldClient(identity, { jsonSchemaValidator });
  await client.connect(transport);
  return {
    ...asConnection(client),
    // The 1.x client does not tell; its own handshake is of the last revision that it knows.
    version: () => undefined,
    call: async (name, args = {}, options = {}) =>
      readAnswer(await client.callTool({ name, arguments: args }, undefined, options)),
  };
}

/** Connects the 2.x client over a transport of its SDK, in one of its modes. */
export async function connectNew(
  transport: Parameters<NewClient['connect']>[0],
  mode: VersionNegotiationMode,
): Promise<NewConnection> {
  const client = new NewClient(identity, {
    jsonSchemaValidator,
    versionNegotiation: { mode },
  });
  await client.connect(transport);
  return {
    ...asConnection(client),
    client,
    version: () => client.getNegotiatedProtocolVersion(),
    call: async (name, args = {}, options = {}) =>
      readAnswer(await client.callTool({ name, arguments: args }, options)),
  };
}

/** What both clients do alike. */
function asConnection(client: OldClient | NewClient) {
  return {
    instructions: () => client.getInstructions(),
    /** What the server says it can do beyond the protocol. */
    extensions: () => client.getServerCapabilities()?.extensions,
    listTools: () => client.listTools(),
    listResources: () => client.listResources(),
    listResourceTemplates: () => client.listResourceTemplates(),
    /** The texts under an address, each with its form. */
    read: async (uri: string) => {
      const { contents } = await client.readResource({ uri });
      return contents.map((content) => ({
        uri: content.uri,
        mimeType: content.mimeType ?? '',
        text: 'text' in content ? content.text : '',
        ...(content._meta && { meta: content._meta }),
      }));
    },
    listPrompts: () => client.listPrompts(),
    getPrompt: async (name: string, args: Record<string, string> = {}) => {
      const { messages } = await client.getPrompt({ name, arguments: args });
      return messages.map(({ content }) => ('text' in content ? content.text : '')).join();
    },
    /** Values for a variable of a template (`commerce://…`) or an argument of a prompt. */
    complete: async (of: string, name: string, value: string) => {
      const { completion } = await client.complete({
        ref: referenceTo(of),
        argument: { name, value },
      });
      return completion.values;
    },
    close: () => client.close(),
  };
}

function referenceTo(of: string) {
  return of.includes('://')
    ? { type: 'ref/resource' as const, uri: of }
    : { type: 'ref/prompt' as const, name: of };
}

const warnings = z
  .array(z.custom<Warning>((it) => isRecord(it) && warningCodes.some((code) => code === it.code)))
  .default([]);

/** An answer of either client in parts. */
function readAnswer(result: JsonObject): ToolAnswer {
  const blocks = Array.isArray(result.content) ? result.content.filter(isRecord) : [];
  const body = isRecord(result.structuredContent) ? result.structuredContent : {};
  const context = isRecord(body.context) ? body.context : {};
  return {
    isError: result.isError === true,
    text: blocks.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n'),
    body,
    context,
    warnings: warnings.parse(context.warnings),
    rows: Array.isArray(body.data) ? body.data.filter(isRecord) : [],
    links: blocks.flatMap(({ type, uri }) => (type === 'resource_link' ? [String(uri)] : [])),
    failure: isRecord(result._meta) ? result._meta['commerce-mcp/error'] : undefined,
  };
}
