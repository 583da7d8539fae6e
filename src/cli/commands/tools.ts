import { readConfig } from '../../config/config.ts';
import { sayCount } from '../../core/text.ts';
import { unknownTool } from '../../mcp/server/call-tool.ts';
import { Catalogue, type ListedTool } from '../../mcp/tools/catalogue.ts';
import { figureViewAddress } from '../../mcp/tools/figure-page.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { usageMessages } from '../messages.ts';
import { namesAccount, openApp } from '../open-app.ts';
import { alignRows } from '../terminal/table.ts';
import { print, say } from '../terminal/text.ts';
import { applyConnectedEntry } from './connect/entries.ts';

/** Average for JSON Schema with current tokenizers. */
const charactersPerToken = 4;

export async function tools(line: CommandLine): Promise<0> {
  const [name] = line.operands;
  const documentedTools = new Catalogue();
  if (name !== undefined && documentedTools.find(name) === undefined)
    throw new UsageError(unknownTool(documentedTools, name));
  const listedTools = await listTools(await applyConnectedEntry(line));
  const selectedTool = listedTools.find((tool) => tool.name === name);
  if (name !== undefined && selectedTool === undefined)
    throw new UsageError(usageMessages.tool_left_out({ tool: name }));
  if (line.flags.json) console.log(JSON.stringify(selectedTool ?? { tools: listedTools }));
  else if (selectedTool) print(describeTool(selectedTool));
  else {
    const rows = listedTools.map((tool) => [tool.name, tokens(tool)]);
    const total = `${listedTools.length} tools, about ${tokens(listedTools)} tokens together (${charactersPerToken} characters a token)`;
    console.log([...alignRows(['tool', 'tokens'], rows), total].join('\n'));
  }
  return 0;
}

async function listTools(line: CommandLine): Promise<ListedTool[]> {
  const view = await figureViewAddress();
  if (namesAccount(line)) {
    const { app, close } = await openApp(line);
    await close();
    return app.catalogue.listing(view);
  }
  say(
    'No account is configured: these are the tools as documented. A platform may list more parameters for some of them.',
  );
  const url = 'https://unconfigured.invalid';
  const fallback = { baseUrl: url, authUrl: url, clientId: 'none', clientSecret: 'none' };
  return new Catalogue(readConfig({ ...line, fallback }).toolsets).listing(view);
}

function describeTool(tool: ListedTool): string {
  const { properties = {}, required = [] } = tool.inputSchema;
  const parameters = Object.entries(properties).map(([name, { type, description = '' }]) => {
    const mark = required.includes(name) ? '*' : '';
    return `  ${name}${mark} (${type ?? 'value'}) ${description}`.trimEnd();
  });
  return [`${tool.name}, about ${tokens(tool)} tokens; * is required`, ...parameters].join('\n');
}

function tokens(value: unknown): string {
  return sayCount(Math.round(JSON.stringify(value).length / charactersPerToken));
}
