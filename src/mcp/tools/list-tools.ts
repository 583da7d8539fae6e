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
}

/** All tools in their fixed order, as clients read them; made once per state of the catalogue. */
export function listTools(catalogue: Catalogue): readonly ListedTool[] {
  const tools = catalogue.list();
  const known = listings.get(tools);
  if (known) return known;
  const speak = speakTo(catalogue);
  const listing = tools.map(
    ({ tool, title, description, inputSchema, outputSchema, asksPlatform }): ListedTool => ({
      name: tool,
      title,
      description: speak(description),
      inputSchema,
      outputSchema,
      annotations: { readOnlyHint: true, openWorldHint: asksPlatform },
    }),
  );
  listings.set(tools, listing);
  return listing;
}

const listings = new WeakMap<readonly Tool[], readonly ListedTool[]>();
