import { z } from 'zod';
import { endpointTool, keptLines, type ToolDefinition } from '../../analysis/define-tool.ts';
import type { Fence } from '../../analysis/fence.ts';
import { referenceSpaces } from '../../analysis/reference/reference.ts';
import { type Speak, speakFor } from '../../analysis/shape/roles.ts';
import { showFigure } from '../../analysis/show-figure.ts';
import { analysisTools } from '../../analysis/tools.ts';
import { type Sentences, sentencesFor } from '../../core/text.ts';
import { type Endpoint, type Toolset, toolsets } from '../../endpoints/define.ts';
import { endpoints as documentedEndpoints } from '../../endpoints/index.ts';
import { listOrderItems } from '../../endpoints/orders.ts';
import { engineProblem } from '../../query/installation.ts';

type Schemas = Readonly<Record<string, z.ZodObject>>;

/** JSON Schema that all clients accept: flat, without `$ref`, unions or keywords that say nothing. */
export interface ObjectSchema {
  type: 'object';
  properties?: Record<string, PropertySchema>;
  required?: string[];
  [keyword: string]: z.core.util.JSONType;
}

export interface PropertySchema {
  type?: string | string[];
  enum?: string[];
  minimum?: number;
  maximum?: number;
  description?: string;
  items?: PropertySchema;
  properties?: Record<string, PropertySchema>;
  [keyword: string]: z.core.util.JSONType;
}

export type Tool = ToolDefinition & { readonly description: string };

export type ListedTool = ReturnType<Catalogue['listing']>[number];

const anyObject: ObjectSchema = { type: 'object' };

export const allTools = [...documentedEndpoints, ...analysisTools].map(({ tool }) => tool);

/** Some clients take a missing hint for "destructive"; idempotentHint would add nothing to readOnlyHint. */
const readingHints = { readOnlyHint: true, destructiveHint: false } as const;

const writingHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
} as const;

/** The tools of some toolsets in a fixed order, built once and never changed. */
export class Catalogue {
  readonly #tools: ReadonlyMap<string, Tool>;
  /** Replaces roles in our texts by the column names that the account had when the catalogue was built. */
  readonly speak: Speak;
  /** Made when tools are first listed; calls do not need them. */
  #schemas: Record<'input' | 'output', Record<string, ObjectSchema>> | undefined;

  /**
   * @param endpoints completed by the platform's own description; as documented by default
   * @param keepsLines whether order lines are kept on disk
   * @param speak replaces roles in texts; by general words by default
   */
  constructor(
    open: readonly Toolset[] = toolsets,
    endpoints: readonly Endpoint[] = documentedEndpoints,
    keepsLines = false,
    speak = speakFor(() => ({})),
  ) {
    this.speak = speak;
    const fence = new Set(open);
    const definitions = [...endpoints.map(endpointTool), ...analysisTools]
      .filter(({ kind }) => kind !== 'statement' || engineProblem() === undefined)
      .flatMap((tool) => fenceTool(tool, fence) ?? []);
    const names = new Set(definitions.map(({ tool }) => tool));
    if (keepsLines && names.has(listOrderItems.tool)) names.add(keptLines);
    const tools = definitions.map((tool) => ({
      ...tool,
      input: speakInput(tool.input, speak),
      description: speak(sentencesFor(tool.description, (name) => names.has(name))),
    }));
    this.#tools = new Map(tools.map((tool) => [tool.tool, tool]));
  }

  list(): readonly Tool[] {
    return [...this.#tools.values()];
  }

  find(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** Whether this catalogue has every tool that a text names. */
  hasToolsIn(text: string): boolean {
    const words = new Set(text.split(/\W+/));
    return allTools.every((tool) => this.#tools.has(tool) || !words.has(tool));
  }

  /** Leaves out the sentences about tools that this catalogue lacks. */
  say(sentences: Sentences): string {
    return sentencesFor(sentences, (tool) => this.#tools.has(tool));
  }

  /** All tools as `tools/list` gives them. @param viewAddress address of the page that shows figures */
  listing(viewAddress?: string) {
    const tools = this.list();
    const shapes = (key: 'input' | 'output') =>
      Object.fromEntries(tools.map((tool) => [tool.tool, tool[key]]));
    this.#schemas ??= {
      input: inputSchemas(shapes('input')),
      output: outputSchemas(shapes('output')),
    };
    const { input, output } = this.#schemas;
    return tools.map(({ tool, title, description, kind }) => ({
      name: tool,
      title,
      description,
      inputSchema: input[tool] ?? anyObject,
      outputSchema: output[tool] ?? anyObject,
      annotations: {
        ...(kind === 'file' ? writingHints : readingHints),
        openWorldHint: kind !== 'kept',
      },
      // MCP Apps: the page that shows the answers; old hosts read the flat key. Every client gets it: some hosts draw
      // without declaring it, and stateless HTTP cannot know.
      ...(tool === showFigure.tool &&
        viewAddress && {
          _meta: { ui: { resourceUri: viewAddress }, 'ui/resourceUri': viewAddress },
        }),
    }));
  }
}

/** A tool for a caller, without arguments that name things outside the fence; undefined if they may not have it. */
function fenceTool(tool: ToolDefinition, fence: Fence): ToolDefinition | undefined {
  const { needsToolsets = [], forCaller = () => tool } = tool.kind === 'analysis' ? tool : {};
  if ([tool.toolset, ...needsToolsets].some((toolset) => !fence.has(toolset))) return undefined;
  const allowed = forCaller(fence);
  if (allowed === undefined) return undefined;
  // Names of the business are read for every caller, but customers' segments are not.
  const closedFields = referenceSpaces
    .filter(({ endpoint: { toolset } }) => toolset !== 'reference' && !fence.has(toolset))
    .map(({ idField }) => idField);
  if (!closedFields.some((name) => name in allowed.input.shape)) return allowed;
  const fields = Object.entries(allowed.input.shape);
  const openFields = fields.filter(([name]) => !closedFields.includes(name));
  return { ...allowed, input: z.strictObject(Object.fromEntries(openFields)) };
}

/** Describes arguments by the column names of the account. */
function speakInput(input: z.ZodObject, speak: Speak): z.ZodObject {
  const fields = Object.entries(input.shape).flatMap(([name, schema]) => {
    const { description = '' } = z.instanceof(z.ZodType).parse(schema);
    const text = speak(description);
    return text === description ? [] : [[name, schema.describe(text)]];
  });
  return fields.length === 0 ? input : input.extend(Object.fromEntries(fields));
}

/** Schemas of arguments, which need not forbid others: unknown arguments are refused by name. */
export function inputSchemas(schemas: Schemas): Record<string, ObjectSchema> {
  return convert(schemas, 'input');
}

/** Schemas of structured answers: known fields have types, further ones are allowed. */
export function outputSchemas(schemas: Schemas): Record<string, ObjectSchema> {
  const context = z.looseObject({});
  const answers = Object.entries(schemas).map(([tool, schema]) => [
    tool,
    schema.extend({ context }),
  ]);
  return convert(Object.fromEntries(answers), 'output');
}

/** Converts all schemas at once: shared parts are converted once, which halves the time of a start. */
function convert(schemas: Schemas, io: 'input' | 'output'): Record<string, ObjectSchema> {
  const { properties } = z.toJSONSchema(z.object(schemas), {
    io,
    override({ jsonSchema }) {
      tidy(jsonSchema);
      // Every answer has a context; its other required members are left out.
      if (io === 'output' && jsonSchema.required?.includes('context'))
        jsonSchema.required = ['context'];
      else if (io === 'output') delete jsonSchema.required;
    },
  });
  // The type of zod is wider than the plain JSON that this is.
  return JSON.parse(JSON.stringify(properties));
}

/** Removes keywords that tell a model nothing, and unions, which some clients cannot read. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  delete schema.additionalProperties;
  delete schema.isUnsent;
  delete schema.isOutputOnly;
  if (Object.keys(schema.properties ?? {}).length === 0) delete schema.properties;
  // Every text and list has a bound. Only those that a caller may meet are worth their words.
  if ((schema.maxLength ?? Infinity) < 1000) delete schema.maxLength;
  delete schema.maxItems;
  // zod adds the bounds of exact integers.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  // Counts and ids are never negative; nobody needs to read it.
  const isCount = schema.minimum === 0 || schema.minimum === 1;
  if (isCount && schema.maximum === undefined && !('default' in schema)) delete schema.minimum;
  const types = schema.anyOf?.flatMap(({ type }) => type ?? []);
  if (types === undefined) return;
  // A union of plain types becomes a list of types: `["integer", "null"]`.
  delete schema.anyOf;
  Object.assign(schema, { type: types });
}
