import { endpointTool, type ToolDefinition } from '../../analysis/define-tool.ts';
import { analysisTools } from '../../analysis/tools.ts';
import { asPaged, completeEndpoints } from '../../endpoints/complete-endpoints.ts';
import type { Endpoint, Toolset } from '../../endpoints/define.ts';
import { endpoints as documentedEndpoints } from '../../endpoints/index.ts';
import { engineProblem } from '../../query/pool/installation.ts';
import { inputSchema, outputSchema, type ToolSchemas } from './json-schema.ts';
import { prebuiltSchemas } from './prebuilt-schemas.ts';

/** A tool with its schemas as clients read them. */
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
  /** Our own tools, beside those that follow from the endpoints. */
  ownTools: readonly ToolDefinition[];
  toolsets: readonly Toolset[];
  /** Schemas that were converted beforehand, by tool: of these definitions, before any change. */
  prebuilt?: Readonly<Record<string, ToolSchemas>>;
}

/**
 * The tools as the API document describes the platform, before it has said anything itself. What
 * needs the query engine is left out where that is not installed.
 */
export function documentedCatalogue(
  toolsets: readonly Toolset[],
  lacks: string | undefined = engineProblem(),
): Catalogue {
  return createCatalogue({
    endpoints: documentedEndpoints,
    ownTools: analysisTools.filter(({ needsEngine }) => lacks === undefined || !needsEngine),
    toolsets,
    prebuilt: prebuiltSchemas,
  });
}

/** Builds the tools once. */
export function createCatalogue(settings: CatalogueSettings): Catalogue {
  const { ownTools, toolsets, prebuilt = {} } = settings;
  const listeners = new Set<() => void>();
  const ofEndpoint = new WeakMap<Endpoint, Tool>();
  const own = ownTools.map((tool) => asTool(tool, prebuilt[tool.tool]));
  for (const endpoint of settings.endpoints)
    ofEndpoint.set(endpoint, asTool(endpointTool(endpoint), prebuilt[endpoint.tool]));
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
    const known = ofEndpoint.get(endpoint) ?? asTool(endpointTool(endpoint));
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

/** A tool whose schemas are converted when they are first read. */
export function asTool(tool: ToolDefinition, prebuilt?: ToolSchemas): Tool {
  return {
    ...tool,
    get inputSchema() {
      return prebuilt?.inputSchema ?? inputSchema(tool.input);
    },
    get outputSchema() {
      return prebuilt?.outputSchema ?? outputSchema(tool.output);
    },
  };
}
