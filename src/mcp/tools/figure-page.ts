/** The page that draws figures: a file for any browser, and a view for hosts with MCP Apps (specification 2026-01-26). */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Figure } from '../../analysis/figure/figure.ts';
import { showFigure } from '../../analysis/show-figure.ts';
import { builtFile } from '../../core/files.ts';
import type { Toolset } from '../../endpoints/define.ts';

/** The name of the extension, which hosts look for before they draw. */
export const viewExtension = 'io.modelcontextprotocol/ui';

export const viewMimeType = 'text/html;profile=mcp-app';

/** Stands both in the listing and in the content, because hosts read either. */
const viewMeta = { ui: { prefersBorder: true } } as const;

const figureTag = '<script type="application/json" id="figure">';

export async function loadFigurePage() {
  const file = builtFile('figure.html');
  if (file === undefined) throw new Error('figure.html is missing: build the package first.');
  const html = await readFile(file, 'utf8');
  // Eight digits, because every `tools/list` carries them.
  return { html, hash: createHash('sha256').update(html).digest('hex').slice(0, 8) };
}

/** One file with the page and a figure, which loads nothing else. */
export async function standalonePage(figure: Figure): Promise<string> {
  const { html } = await loadFigurePage();
  // Escaped, so that no text ends the script element.
  const data = JSON.stringify(figure).replaceAll('<', '\\u003c');
  return html.replace(figureTag, () => `${figureTag}${data}`);
}

/** The address of the page. Undefined if it was not built; figures are text then. */
export async function figureViewAddress(): Promise<string | undefined> {
  const page = await loadFigurePage().catch(() => undefined);
  return page && `ui://commerce-mcp/figure-${page.hash}.html`;
}

/** The page in the list of resources, for callers who have its tool. */
export function listView(toolsets: readonly Toolset[], uri: string | undefined) {
  if (uri === undefined || !isOffered(toolsets)) return [];
  const description = `The page in which hosts draw what ${showFigure.tool} answers`;
  const about = { name: 'figure', title: 'Figure', description, mimeType: viewMimeType };
  return [{ uri, ...about, _meta: viewMeta }];
}

/** Whether an address is one of the page: hosts keep old ones as long as they like. */
export function isViewAddress(uri: string, toolsets: readonly Toolset[]): boolean {
  return isOffered(toolsets) && /^ui:\/\/commerce-mcp\/figure-[0-9a-f]{8}\.html$/.test(uri);
}

/** Reads the current page, whichever of its addresses was asked for. */
export async function readView(uri: string) {
  const { html } = await loadFigurePage();
  return { uri, mimeType: viewMimeType, text: html, _meta: viewMeta };
}

function isOffered(toolsets: readonly Toolset[]): boolean {
  return toolsets.includes(showFigure.toolset);
}
