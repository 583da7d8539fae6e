import { readRows } from '../../analysis/read-rows.ts';
import { readConfig } from '../../config/config.ts';
import { sayCount } from '../../core/text.ts';
import { type Prompt, promptFolders, readPrompts } from '../../mcp/prompts/prompts.ts';
import { skillFiles } from '../../mcp/prompts/skills.ts';
import { unknownTool } from '../../mcp/server/call-tool.ts';
import { createLog } from '../../mcp/telemetry/log.ts';
import { Catalogue, type ListedTool, type PropertySchema } from '../../mcp/tools/catalogue.ts';
import { figureViewAddress } from '../../mcp/tools/figure-page.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { namesAccount, openApp } from '../open-app.ts';
import { ownCommand } from '../program.ts';
import { paint, printText, say } from '../terminal/text.ts';
import { withConnected } from './connect/entries.ts';

/** JSON Schema runs to about this many characters a token with the tokenizers in use. */
const charactersPerToken = 4;

/** Prints the catalogue, or one tool: arguments and what it costs a model's context. */
export async function tools(typed: CommandLine): Promise<0 | 1> {
  const [name] = typed.operands;
  const documented = new Catalogue();
  if (name !== undefined && documented.find(name) === undefined)
    throw new UsageError(unknownTool(documented, name));
  const line = await withConnected(typed);
  const { tools: listed, skills } = await listOffer(line);
  const one = listed.find((tool) => tool.name === name);
  if (name !== undefined && one === undefined)
    throw new UsageError({ code: 'tool_left_out', tool: name });
  if (line.flags.json) {
    console.log(JSON.stringify(one ?? { tools: listed }));
    return 0;
  }
  printText(one ? renderTool(one) : renderCatalogue(listed, skills));
  const isReal = namesAccount(line) && !line.flags.sandbox;
  const examples = (one ? examplesOf(one) : []).map((call) => {
    const flag = isReal || call.endsWith('--sandbox') ? '' : ' --sandbox';
    return `\n  ${ownCommand()} call ${call}${flag}`;
  });
  // A command is not broken: it may be copied.
  if (examples.length > 0) console.log(`\nTry it:${examples.join('')}`);
  return 0;
}

async function listOffer(line: CommandLine) {
  const view = await figureViewAddress();
  if (namesAccount(line)) {
    const { app, close } = await openApp(line);
    const skills = skillCosts(await app.prompts());
    await close();
    return { tools: app.catalogue.listing(view), skills };
  }
  say({ code: 'tools_as_documented' }, 'yellow');
  const none = 'https://unconfigured.invalid';
  const fallback = { baseUrl: none, authUrl: none, clientId: 'none', clientSecret: 'none' };
  const config = readConfig({ ...line, fallback });
  const catalogue = new Catalogue(config.toolsets);
  const prompts = await readPrompts(promptFolders(config.definitions), createLog('warn'));
  const offered = prompts.filter(({ body }) => catalogue.mayTell(body));
  return { tools: catalogue.listing(view), skills: skillCosts(offered) };
}

/** What each skill costs when it is loaded: that of the guide is its bound. */
function skillCosts(prompts: readonly Prompt[]): string {
  const costs = [...skillFiles(prompts).values()].map(
    ({ name, body }) => `${name} (${body === undefined ? '1,500' : tokens(body)})`,
  );
  return `${costs.length} skills for clients that load them, each with its tokens: ${costs.join(', ')}`;
}

function renderCatalogue(listed: readonly ListedTool[], skills: string): string {
  const lines = listed.flatMap((tool) => [
    `${paint('bold', tool.name)}  ${paint('dim', `(about ${tokens(tool)} tokens)`)}`,
    `  ${tool.description}`,
    `  ${paint('dim', `takes: ${argumentsOf(tool).join(', ') || 'nothing'}`)}`,
  ]);
  const total = `${listed.length} tools, about ${tokens(listed)} tokens together (${charactersPerToken} characters a token); * is required`;
  return [...lines, total, skills].join('\n');
}

function renderTool(tool: ListedTool): string {
  const { name, title, description, inputSchema } = tool;
  const schemas = Object.values(inputSchema.properties ?? {});
  const lines = argumentsOf(tool).map(
    (argument, at) => `  ${argument}\n      ${explain(schemas[at] ?? {})}`,
  );
  return [
    `${paint('bold', name)}  ${title}`,
    description,
    '',
    lines.length > 0 ? 'Arguments (* is required):' : 'It takes no arguments.',
    ...lines,
    '',
    `It costs a model about ${tokens(tool)} tokens of context; its answers come on top.`,
  ].join('\n');
}

function argumentsOf({ inputSchema: { properties = {}, required = [] } }: ListedTool): string[] {
  return Object.keys(properties).map((name) => (required.includes(name) ? `${name}*` : name));
}

function explain({ type = 'value', items, description, ...schema }: PropertySchema): string {
  const words = schema.enum ?? items?.enum;
  return [
    ...(description === undefined ? [] : [`${description}.`.replace(/([.!?])\.$/, '$1')]),
    ...(words ? [`One of ${words.join(', ')}.`] : []),
    `(${type === 'array' ? `list of ${items?.type ?? 'value'}s` : type})`,
  ].join(' ');
}

function tokens(value: unknown): string {
  return sayCount(Math.round(JSON.stringify(value).length / charactersPerToken));
}

/** What follows `call` to try a tool: one line, or a look-up and what is asked with an id of it. */
export function examplesOf({ name, inputSchema: { properties = {} } }: ListedTool): string[] {
  // It reads the rows of an earlier answer, which a command does not have.
  if (name === readRows.tool) return [];
  const [argument, sample] = Object.entries(samples).find(([it]) => it in properties) ?? [];
  const call = sample === undefined ? name : `${name} ${sample}`;
  const lookUp = 'list_orders period=yesterday limit=3 fields=id,order_number';
  return argument === 'order_id' ? [lookUp, call] : [call];
}

/** Arguments to try a tool with, quoted for a shell: of several that it has, the first. */
const samples: Readonly<Record<string, string>> = {
  sql: `"sql=SELECT bucket, revenue.total_turnover_wt FROM turnover_trend(period := 'last_7_days')"`,
  order_id: 'order_id=ID',
  period: 'period=last_week',
  date: 'date=yesterday',
  since: 'since=yesterday',
  customer_id: 'customer_id=20001 --sandbox',
  shop_product_id: 'shop_product_id=1001 --sandbox',
  product_ids: 'product_ids=1001,1002 --sandbox',
  q: 'q=bos',
  query: 'query=Utrecht',
  location_id: 'location_id=3 --sandbox',
};
