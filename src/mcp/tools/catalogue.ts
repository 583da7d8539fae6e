import type { ToolDefinition } from '../../analysis/define-tool.ts';
import type { Endpoint, Toolset } from '../../endpoints/define.ts';
import { asPaged, completeEndpoints } from '../../endpoints/openapi.ts';
import { inputSchema, type ObjectSchema, outputSchema } from './json-schema.ts';

/** What a tool takes and gives, as clients read it. */
export interface ToolSchemas {
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
}

/** A question with its schemas as clients read them. */
export interface Tool extends ToolDefinition, ToolSchemas {}

/** The tools on offer. It grows when the platform describes more than its document does. */
export interface Catalogue {
  /** In a fixed order, one page. */
  list(): readonly Tool[];
  find(name: string): Tool | undefined;
  /** Adds the parameters that the platform's openapi.json lists. */
  complete(openapi: unknown): void;
  /** Takes a list as paged once an answer has shown that it is. */
  learnPaging(tool: string, maxLimit: number): void;
  /** Calls back after each change until the returned function is called. */
  onChange(listener: () => void): () => void;
}

export interface CatalogueSettings {
  endpoints: readonly Endpoint[];
  /** Our own questions, beside those that follow from the endpoints. */
  questions: readonly ToolDefinition[];
  toolsets: readonly Toolset[];
  /** Makes an endpoint a question. */
  asQuestion: (endpoint: Endpoint) => ToolDefinition;
  /** Schemas that were converted beforehand, by tool: of these definitions, before any change. */
  converted?: Readonly<Record<string, ToolSchemas>>;
}

/** Builds the tools once; schemas are converted when first read and kept. */
export function createCatalogue(settings: CatalogueSettings): Catalogue {
  const { questions, toolsets, asQuestion, converted = {} } = settings;
  const listeners = new Set<() => void>();
  const ofEndpoint = new WeakMap<Endpoint, Tool>();
  const own = questions.map((tool) => asTool(tool, converted[tool.tool]));
  for (const endpoint of settings.endpoints)
    ofEndpoint.set(endpoint, asTool(asQuestion(endpoint), converted[endpoint.tool]));
  let endpoints = settings.endpoints;
  let tools = assemble();
  let listed = [...tools.values()];

  function assemble(): Map<string, Tool> {
    const all = [...endpoints.map(toolOf), ...own];
    return new Map(
      all.filter(({ toolset }) => toolsets.includes(toolset)).map((tool) => [tool.tool, tool]),
    );
  }

  function toolOf(endpoint: Endpoint): Tool {
    const known = ofEndpoint.get(endpoint) ?? asTool(asQuestion(endpoint));
    ofEndpoint.set(endpoint, known);
    return known;
  }

  function change(changed: readonly Endpoint[]): void {
    if (changed.every((endpoint, index) => endpoint === endpoints[index])) return;
    endpoints = changed;
    tools = assemble();
    listed = [...tools.values()];
    for (const listener of [...listeners]) listener();
  }

  return {
    list: () => listed,
    find: (name) => tools.get(name),
    complete: (openapi) => change(completeEndpoints(endpoints, openapi)),
    learnPaging: (name, maxLimit) =>
      change(endpoints.map((it) => (it.tool === name ? asPaged(it, maxLimit) : it))),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Schemas cost more than everything else at start-up: each is made once, when it is first read. */
function asTool(tool: ToolDefinition, converted?: ToolSchemas): Tool {
  let input = converted?.inputSchema;
  let output = converted?.outputSchema;
  return {
    ...tool,
    get inputSchema() {
      input ??= inputSchema(tool.input);
      return input;
    },
    get outputSchema() {
      output ??= outputSchema(tool.output);
      return output;
    },
  };
}
