import type { Catalogue, Tool } from './catalogue.ts';
import { speakTo } from './speak-to.ts';

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Tool['inputSchema'];
  outputSchema: Tool['outputSchema'];
  annotations: { readOnlyHint: true; openWorldHint: boolean };
  /** MCP Apps: the page that shows its answers; under a flat key too, which old hosts read. */
  _meta?: { ui: { resourceUri: string }; 'ui/resourceUri': string };
}

/**
 * All tools in their fixed order, as clients read them; made once per state of the catalogue.
 * @param viewAddress where the page is that shows figures; without one no tool names it
 */
export function listTools(catalogue: Catalogue, viewAddress?: string): readonly ListedTool[] {
  const tools = catalogue.list();
  const known = listings.get(tools);
  if (known && known.viewAddress === viewAddress) return known.listing;
  const speak = speakTo(catalogue);
  const listing = tools.map(
    ({ tool, title, description, inputSchema, outputSchema, asksPlatform, view }): ListedTool => ({
      name: tool,
      title,
      description: speak(description),
      inputSchema,
      outputSchema,
      annotations: { readOnlyHint: true, openWorldHint: asksPlatform },
      // For everybody: hosts draw that never said they can, and stateless HTTP cannot know.
      ...(view && viewAddress && { _meta: viewMeta(viewAddress) }),
    }),
  );
  listings.set(tools, { viewAddress, listing });
  return listing;
}

const listings = new WeakMap<readonly Tool[], Listing>();

interface Listing {
  viewAddress: string | undefined;
  listing: readonly ListedTool[];
}

function viewMeta(resourceUri: string): NonNullable<ListedTool['_meta']> {
  return { ui: { resourceUri }, 'ui/resourceUri': resourceUri };
}
