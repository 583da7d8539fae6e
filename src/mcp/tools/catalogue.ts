import { z } from 'zod';
import { endpointTool, keptLines, type ToolDefinition } from '../../analysis/define-tool.ts';
import type { Fence } from '../../analysis/fence.ts';
import { referenceSpaces } from '../../analysis/reference/reference.ts';
import { analysisTools } from '../../analysis/tools.ts';
import { type Sentences, sentencesFor } from '../../core/text.ts';
import { type Endpoint, type Toolset, toolsets } from '../../endpoints/define.ts';
import { endpoints as documentedEndpoints } from '../../endpoints/index.ts';
import { listOrderItems } from '../../endpoints/orders.ts';
import { engineProblem } from '../../query/installation.ts';
import { inputSchemas, type ObjectSchema, outputSchemas } from './json-schema.ts';

/** A tool with its description as the callers of its catalogue read it. */
export interface Tool extends Omit<ToolDefinition, 'description'> {
  readonly description: string;
}

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
  /** Converted when tools are first listed: a call needs none. */
  #schemas: Record<'input' | 'output', Record<string, ObjectSchema>> | undefined;

  /**
   * @param endpoints as the platform's own description completes them; as documented by default
   * @param keepsLines whether order lines are kept on disk
   */
  constructor(
    open: readonly Toolset[] = toolsets,
    endpoints: readonly Endpoint[] = documentedEndpoints,
    keepsLines = false,
  ) {
    const fence = new Set(open);
    const definitions = [...endpoints.map(endpointTool), ...analysisTools]
      .filter(({ needsEngine }) => !needsEngine || engineProblem() === undefined)
      .flatMap((tool) => fenceTool(tool, fence) ?? []);
    const names = new Set(definitions.map(({ tool }) => tool));
    if (keepsLines && names.has(listOrderItems.tool)) names.add(keptLines);
    const tools = definitions.map((tool) => ({
      ...tool,
      description: sentencesFor(tool.description, (name) => names.has(name)),
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

  /**
   * All tools as clients read them.
   * @param viewAddress where the page is that shows figures; without one no tool names it
   */
  listing(viewAddress?: string) {
    this.#schemas ??= this.#convert();
    const { input, output } = this.#schemas;
    return this.list().map(({ tool, title, description, view, asksPlatform }) => ({
      name: tool,
      title,
      description,
      inputSchema: input[tool] ?? anything,
      outputSchema: output[tool] ?? anything,
      annotations: { ...readingHints, openWorldHint: asksPlatform },
      // MCP Apps: the page that shows its answers; under a flat key too, which old hosts read. For every
      // client: some hosts draw without declaring it, and stateless HTTP cannot know.
      ...(view &&
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
  const needed = [tool.toolset, ...(tool.needsToolsets ?? [])];
  if (needed.some((toolset) => !fence.has(toolset))) return undefined;
  const allowed = tool.forCaller === undefined ? tool : tool.forCaller(fence);
  if (allowed === undefined) return undefined;
  // Names of the business are understood for every caller; customers' segments are not.
  const closed = referenceSpaces
    .filter(({ endpoint: { toolset } }) => toolset !== 'reference' && !fence.has(toolset))
    .map(({ idField }) => idField);
  if (!closed.some((name) => name in allowed.input.shape)) return allowed;
  const open = Object.entries(allowed.input.shape).filter(([name]) => !closed.includes(name));
  return { ...allowed, input: z.strictObject(Object.fromEntries(open)) };
}
