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

/** JSON Schema as clients take it: flat, without `$ref`, unions or keywords that say nothing. */
export interface ObjectSchema {
  type: 'object';
  properties?: Record<string, PropertySchema>;
  required?: string[];
  [keyword: string]: z.core.util.JSONType;
}

/** One argument, as the model sees it. */
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

/** A tool with its description as the callers of its catalogue read it. */
export type Tool = ToolDefinition & { readonly description: string };

/** A tool as `tools/list` shows it. */
export type ListedTool = ReturnType<Catalogue['listing']>[number];

const anything: ObjectSchema = { type: 'object' };

/** The names of all tools that there are, whoever may use them. */
export const allTools = [...documentedEndpoints, ...analysisTools].map(({ tool }) => tool);

/** What is left out means "destructive" to some clients; that reading can be repeated follows. */
const readingHints = { readOnlyHint: true, destructiveHint: false } as const;

/** The tools of some toolsets, in a fixed order: built once and never changed. */
export class Catalogue {
  readonly #tools: ReadonlyMap<string, Tool>;
  /** Writes a text of ours in the names that the account had when the catalogue was built. */
  readonly speak: Speak;
  /** Converted when tools are first listed: a call needs none. */
  #schemas: Record<'input' | 'output', Record<string, ObjectSchema>> | undefined;

  /**
   * @param endpoints as the platform's own description completes them; as documented by default
   * @param keepsLines whether order lines are kept on disk
   * @param speak how its texts name what the document leaves open; in general words by default
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
      input: spokenInput(tool.input, speak),
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

  /** Whether a text names no tool that its reader would lack. */
  mayTell(text: string): boolean {
    const words = new Set(text.split(/\W+/));
    return allTools.every((tool) => this.#tools.has(tool) || !words.has(tool));
  }

  /** A text as a reader with these tools should have it. */
  say(sentences: Sentences): string {
    return sentencesFor(sentences, (tool) => this.#tools.has(tool));
  }

  /** All tools as clients read them. @param viewAddress where the page is that shows figures */
  listing(viewAddress?: string) {
    this.#schemas ??= this.#convert();
    const { input, output } = this.#schemas;
    return this.list().map(({ tool, title, description, kind }) => ({
      name: tool,
      title,
      description,
      inputSchema: input[tool] ?? anything,
      outputSchema: output[tool] ?? anything,
      annotations: { ...readingHints, openWorldHint: kind !== 'kept' },
      // MCP Apps: the page that shows its answers; under a flat key too, which old hosts read. For every
      // client: some hosts draw without declaring it, and stateless HTTP cannot know.
      ...(tool === showFigure.tool &&
        viewAddress && {
          _meta: { ui: { resourceUri: viewAddress }, 'ui/resourceUri': viewAddress },
        }),
    }));
  }

  #convert() {
    const shapes = (key: 'input' | 'output') =>
      Object.fromEntries(this.list().map((tool) => [tool.tool, tool[key]]));
    return { input: inputSchemas(shapes('input')), output: outputSchemas(shapes('output')) };
  }
}

/** A tool as a caller may have it, without the arguments that name what lies outside. */
function fenceTool(tool: ToolDefinition, fence: Fence): ToolDefinition | undefined {
  const { needsToolsets = [], forCaller = () => tool } = tool.kind === 'analysis' ? tool : {};
  if ([tool.toolset, ...needsToolsets].some((toolset) => !fence.has(toolset))) return undefined;
  const allowed = forCaller(fence);
  if (allowed === undefined) return undefined;
  // Names of the business are understood for every caller; customers' segments are not.
  const closed = referenceSpaces
    .filter(({ endpoint: { toolset } }) => toolset !== 'reference' && !fence.has(toolset))
    .map(({ idField }) => idField);
  if (!closed.some((name) => name in allowed.input.shape)) return allowed;
  const open = Object.entries(allowed.input.shape).filter(([name]) => !closed.includes(name));
  return { ...allowed, input: z.strictObject(Object.fromEntries(open)) };
}

/** Arguments whose descriptions name what the account calls otherwise. */
function spokenInput(input: z.ZodObject, speak: Speak): z.ZodObject {
  const fields = Object.entries(input.shape).flatMap(([name, schema]) => {
    const { description = '' } = z.instanceof(z.ZodType).parse(schema);
    const spoken = speak(description);
    return spoken === description ? [] : [[name, schema.describe(spoken)]];
  });
  return fields.length === 0 ? input : input.extend(Object.fromEntries(fields));
}

/** Of tools' arguments. That unknown ones are refused, with the nearest name, spends no words here. */
export function inputSchemas(schemas: Schemas): Record<string, ObjectSchema> {
  return convert(schemas, 'input');
}

/** Of tools' structured answers: known fields typed, everything else let through. */
export function outputSchemas(schemas: Schemas): Record<string, ObjectSchema> {
  const context = z.looseObject({});
  const answers = Object.entries(schemas).map(([tool, it]) => [tool, it.extend({ context })]);
  return convert(Object.fromEntries(answers), 'output');
}

/** All in one conversion: what they share is converted once, which halves the time of a start. */
function convert(schemas: Schemas, io: 'input' | 'output'): Record<string, ObjectSchema> {
  const { properties } = z.toJSONSchema(z.object(schemas), {
    io,
    override({ jsonSchema }) {
      tidy(jsonSchema);
      // Every answer has a context; that it holds what else it must goes without saying.
      if (io === 'output' && jsonSchema.required?.includes('context'))
        jsonSchema.required = ['context'];
      else if (io === 'output') delete jsonSchema.required;
    },
  });
  // It is plain JSON by now; the type of zod's JSON Schema does not say so.
  return JSON.parse(JSON.stringify(properties));
}

/** Takes out what says nothing, and keeps to the forms that all clients read. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  delete schema.additionalProperties;
  delete schema.isUnsent;
  delete schema.isOutputOnly;
  if (Object.keys(schema.properties ?? {}).length === 0) delete schema.properties;
  // Every text and list is bounded; the bounds worth their words are those that a caller may meet.
  if ((schema.maxLength ?? Infinity) < 1000) delete schema.maxLength;
  delete schema.maxItems;
  // zod bounds every integer by what a double holds; a reader learns nothing from it.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  // That a count or an id is not negative goes without saying, where nothing else is said of it.
  const isCount = schema.minimum === 0 || schema.minimum === 1;
  if (isCount && schema.maximum === undefined && !('default' in schema)) delete schema.minimum;
  const types = schema.anyOf?.flatMap(({ type }) => type ?? []);
  if (types === undefined) return;
  // A union of plain types as one list of types: `["integer", "null"]`.
  delete schema.anyOf;
  Object.assign(schema, { type: types });
}
