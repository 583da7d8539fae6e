import { ConfigError, readConfig } from '../../../config.ts';
import { toolsets } from '../../../endpoints/define.ts';
import { figureViewAddress } from '../../../mcp/resources/figure-view.ts';
import { unknownTool } from '../../../mcp/server/call-tool.ts';
import type { ListedTool } from '../../../mcp/tools/catalogue.ts';
import { Catalogue } from '../../../mcp/tools/catalogue.ts';
import { type CommandLine, UsageError } from '../../command-line.ts';
import { openApp } from '../../open-app.ts';
import { paint } from '../../terminal/paint.ts';
import { say } from '../../terminal/say.ts';
import { wrap } from '../../terminal/wrap.ts';
import { withConnected } from '../connect/entries.ts';

/** JSON Schema runs to about this many characters a token with the tokenizers in use. */
const charactersPerToken = 4;

/** Prints the catalogue: names, parameters and what each tool costs a model's context. */
export async function tools(line: CommandLine): Promise<0> {
  const { operands, switches } = line;
  const [name, ...rest] = operands;
  if (rest.length > 0) throw new UsageError(`one tool at a time, not also "${rest.join(' ')}"`);
  const documented = new Catalogue({ toolsets });
  if (name !== undefined && documented.find(name) === undefined)
    throw new UsageError(unknownTool(documented, name).message);
  const { listed, note } = await readCatalogue(line);
  const one = listed.find((tool) => tool.name === name);
  if (name !== undefined && one === undefined)
    throw new UsageError(`${name} belongs to a toolset that COMMERCE_TOOLSETS leaves out`);
  if (switches.has('json')) console.log(JSON.stringify(one ?? { tools: listed }));
  else if (one) console.log(await describeTool(one, line));
  else
    console.log(renderCatalogue(listed, process.stdout.isTTY ? process.stdout.columns : undefined));
  if (note) say(note, 'yellow');
  return 0;
}

/** The tools as the configured platform completes them, or as documented where none is configured. */
async function readCatalogue(
  line: CommandLine,
): Promise<{ listed: readonly ListedTool[]; note?: string }> {
  try {
    const { app, close } = await openApp(await withConnected(line));
    try {
      return { listed: app.catalogue.listing(await figureViewAddress()) };
    } finally {
      await close();
    }
  } catch (error) {
    if (!(error instanceof ConfigError) || !error.problems.every(({ missing }) => missing))
      throw error;
    const { env, values: flags } = line;
    const config = readConfig({ env, flags, fallback: nobody });
    return {
      listed: new Catalogue({ toolsets: config.toolsets }).listing(await figureViewAddress()),
      note: 'No account is configured: these are the tools as documented. A platform may list more parameters for some of them.',
    };
  }
}

/** Stands in for an account, so that the other settings can be read; nothing is sent anywhere. */
const nobody = {
  baseUrl: 'https://unconfigured.invalid',
  authUrl: 'https://unconfigured.invalid',
  clientId: 'unconfigured',
  clientSecret: 'unconfigured',
};

/** All about one tool; its example asks the account, or the sandbox where none is configured. */
async function describeTool(tool: ListedTool, { env, switches }: CommandLine): Promise<string> {
  const isSandbox = switches.has('sandbox') || !env.COMMERCE_BASE_URL;
  const { renderTool } = await import('./render-tool.ts');
  return renderTool(tool, {
    tokens: tokens(tool),
    flags: isSandbox ? ['--sandbox'] : [],
    ...(process.stdout.isTTY && { width: process.stdout.columns }),
  });
}

/** The catalogue as text; lines are broken to `width`, or not at all without one. */
export function renderCatalogue(listed: readonly ListedTool[], width?: number): string {
  const indented = (text: string) =>
    wrap(text, width === undefined ? width : width - 2).map((line) => `  ${line}`);
  const lines = listed.flatMap((tool) => {
    const required = new Set(tool.inputSchema.required ?? []);
    const parameters = Object.keys(tool.inputSchema.properties ?? {}).map((name) =>
      required.has(name) ? `${name}*` : name,
    );
    return [
      `${paint('bold', tool.name)}  ${paint('dim', `(about ${tokens(tool)} tokens)`)}`,
      ...indented(tool.description),
      ...indented(`takes: ${parameters.join(', ') || 'nothing'}`).map((line) => paint('dim', line)),
    ];
  });
  const total = `${listed.length} tools, about ${tokens(listed)} tokens together (${charactersPerToken} characters a token); * is required`;
  return [...lines, ...wrap(total, width)].join('\n');
}

function tokens(value: unknown): string {
  return Math.round(JSON.stringify(value).length / charactersPerToken).toLocaleString('en-US');
}
