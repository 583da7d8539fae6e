/** The page that shows figures in hosts with MCP Apps (specification 2026-01-26): where it is and what it is. */
import { showFigure } from '../../analysis/show-figure.ts';
import type { Toolset } from '../../endpoints/define.ts';
import { loadFigurePage } from './figure-page.ts';

/** The extension by its name, which the server declares: hosts look for it before they draw. */
export const viewExtension = 'io.modelcontextprotocol/ui';

export const viewMimeType = 'text/html;profile=mcp-app';

/** The page as `resources/read` gives it. */
export interface ViewContent {
  uri: string;
  mimeType: string;
  text: string;
  _meta: typeof viewMeta;
}

/** On the listing and on the content: some hosts read one of the two only. */
const viewMeta = { ui: { prefersBorder: true } } as const;

/** Where the page is; nowhere when it was not built, and then figures are text. */
export const figureViewAddress: () => Promise<string | undefined> = rememberAddress();

/** The page among the resources, for those who have its tool. */
export async function listedView(toolsets: readonly Toolset[]) {
  const uri = isOffered(toolsets) ? await figureViewAddress() : undefined;
  return (
    uri && {
      uri,
      name: 'figure',
      title: 'Figure',
      description: `The page in which hosts draw what ${showFigure.tool} answers`,
      mimeType: viewMimeType,
      _meta: viewMeta,
    }
  );
}

/** Whether the page is read under this address: hosts keep an old one for as long as they like. */
export function isViewAddress(uri: string, toolsets: readonly Toolset[]): boolean {
  return isOffered(toolsets) && /^ui:\/\/commerce-mcp\/figure-[0-9a-f]{8}\.html$/.test(uri);
}

/** The present page, whichever of its addresses was asked for. */
export async function readView(uri: string): Promise<ViewContent> {
  const { html } = await loadFigurePage();
  return { uri, mimeType: viewMimeType, text: html, _meta: viewMeta };
}

function isOffered(toolsets: readonly Toolset[]): boolean {
  return toolsets.includes(showFigure.toolset);
}

/** The page of a build does not change: it is read once for its hash. */
function rememberAddress() {
  let address: Promise<string> | undefined;
  return async () => {
    try {
      address ??= loadFigurePage().then(({ hash }) => `ui://commerce-mcp/figure-${hash}.html`);
      return await address;
    } catch {
      address = undefined;
      return undefined;
    }
  };
}
