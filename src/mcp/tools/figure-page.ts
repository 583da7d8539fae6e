/** The page that draws figures: a file for any browser, and a view for hosts with MCP Apps (specification 2026-01-26). */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Figure } from '../../analysis/figure/figure.ts';
import { showFigure } from '../../analysis/show-figure.ts';
import { builtFile } from '../../core/files.ts';
import type { Toolset } from '../../endpoints/define.ts';

/** The extension by its name, which the server declares: hosts look for it before they draw. */
export const viewExtension = 'io.modelcontextprotocol/ui';

export const viewMimeType = 'text/html;profile=mcp-app';

/** On the listing and on the content: some hosts read one of the two only. */
const viewMeta = { ui: { prefersBorder: true } } as const;

const figureTag = '<script type="application/json" id="figure">';

/** The page without data as it was built, and its hash: hosts keep a page by its address. */
export async function loadFigurePage() {
  const file = builtFile('figure.html');
  if (file === undefined) throw new Error('figure.html is missing: build the package first.');
  const html = await readFile(file, 'utf8');
  // Eight digits: every reader of `tools/list` pays for them.
  return { html, hash: createHash('sha256').update(html).digest('hex').slice(0, 8) };
}

/** The page with a figure inside: one file that loads nothing from elsewhere. */
export async function standalonePage(figure: Figure): Promise<string> {
  const { html } = await loadFigurePage();
  // No text of a figure can end the script that holds it.
  const data = JSON.stringify(figure).replaceAll('<', '\\u003c');
  return html.replace(figureTag, () => `${figureTag}${data}`);
}

/** The address of the page; undefined when it was not built, and then figures are text. */
export async function figureViewAddress(): Promise<string | undefined> {
  const page = await loadFigurePage().catch(() => undefined);
  return page && `ui://commerce-mcp/figure-${page.hash}.html`;
}

/** The page under its address among the resources, for callers who have its tool. */
export function listView(toolsets: readonly Toolset[], uri: string | undefined) {
  if (uri === undefined || !isOffered(toolsets)) return [];
  const description = `The page in which hosts draw what ${showFigure.tool} answers`;
  const about = { name: 'figure', title: 'Figure', description, mimeType: viewMimeType };
  return [{ uri, ...about, _meta: viewMeta }];
}

/** Whether the page is read under this address: hosts keep an old one for as long as they like. */
export function isViewAddress(uri: string, toolsets: readonly Toolset[]): boolean {
  return isOffered(toolsets) && /^ui:\/\/commerce-mcp\/figure-[0-9a-f]{8}\.html$/.test(uri);
}

/** The present page, whichever of its addresses was asked for. */
export async function readView(uri: string) {
  const { html } = await loadFigurePage();
  return { uri, mimeType: viewMimeType, text: html, _meta: viewMeta };
}

function isOffered(toolsets: readonly Toolset[]): boolean {
  return toolsets.includes(showFigure.toolset);
}
