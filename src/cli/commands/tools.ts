import { readRows } from '../../analysis/read-rows.ts';
import { readConfig } from '../../config.ts';
import { toolsets } from '../../endpoints/define.ts';
import { figureViewAddress } from '../../mcp/resources/figure-page.ts';
import { unknownTool } from '../../mcp/server/call-tool.ts';
import { Catalogue, type ListedTool } from '../../mcp/tools/catalogue.ts';
import type { PropertySchema } from '../../mcp/tools/json-schema.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { openApp } from '../open-app.ts';
import { ownCommand } from '../program.ts';
import { paint, say, wrap } from '../terminal/text.ts';
import { namesAccount, withConnected } from './connect/entries.ts';

/** JSON Schema runs to about this many characters a token with the tokenizers in use. */
const charactersPerToken = 4;

/** Prints the catalogue, or one tool: arguments and what it costs a model's context. */
export async function tools(given: CommandLine): Promise<0> {
  const [name] = given.operands;
  const documented = new Catalogue(toolsets);
  if (name !== undefined && documented.find(name) === undefined)
    throw new UsageError(unknownTool(documented, name).message);
  const line = await withConnected(given);
  const listed = await listTools(line);
  const one = listed.find((tool) => tool.name === name);
  if (name !== undefined && one === undefined)
    throw new UsageError(`${name} belongs to a toolset that COMMERCE_TOOLSETS leaves out`);
  const width = process.stdout.isTTY ? process.stdout.columns : undefined;
  const isReal = namesAccount(line) && !line.switches.has('sandbox');
  if (line.switches.has('json')) console.log(JSON.stringify(one ?? { tools: listed }));
  else console.log(one ? renderTool(one, isReal, width) : renderCatalogue(listed, width));
  return 0;
}

/** The tools as the configured platform completes them, or as documented where none is configured. */
async function listTools(line: CommandLine): Promise<readonly ListedTool[]> {
  const view = await figureViewAddress();
  if (namesAccount(line)) {
    const { app, close } = await openApp(line);
    await close();
    return app.catalogue.listing(view);
  }
  say(
    'No account is configured: these are the tools as documented. A platform may list more parameters for some of them.',
    'yellow',
  );
  const none = 'https://unconfigured.invalid';
  const fallback = { baseUrl: none, authUrl: none, clientId: 'none', clientSecret: 'none' };
  const config = readConfig({ env: line.env, flags: line.values, fallback });
  return new Catalogue(config.toolsets).listing(view);
}

/** The catalogue as text; lines are broken to `width`, or not at all without one. */
function renderCatalogue(listed: readonly ListedTool[], width?: number): string {
  const lines = listed.flatMap((tool) => {
    const names = Object.keys(tool.inputSchema.properties ?? {}).map((it) => starred(tool, it));
    return [
      `${paint('bold', tool.name)}  ${paint('dim', `(about ${tokens(tool)} tokens)`)}`,
      ...wrap(`  ${tool.description}`, width),
      ...wrap(`  takes: ${names.join(', ') || 'nothing'}`, width).map((it) => paint('dim', it)),
    ];
  });
  const total = `${listed.length} tools, about ${tokens(listed)} tokens together (${charactersPerToken} characters a token); * is required`;
  return [...lines, ...wrap(total, width)].join('\n');
}

/** One tool with all its arguments, an example of the account or the sandbox, and its cost, as text. */
export function renderTool(tool: ListedTool, isReal: boolean, width?: number): string {
  const { name, title, description, inputSchema } = tool;
  const properties = Object.entries(inputSchema.properties ?? {});
  const column = Math.max(0, ...properties.map(([key]) => key.length)) + 3;
  const room = width === undefined ? undefined : Math.max(30, width - column - 2);
  const lines = properties.flatMap(([key, schema]) =>
    wrap(explain(schema), room).map((line, at) =>
      `  ${(at === 0 ? starred(tool, key) : '').padEnd(column)}${line}`.trimEnd(),
    ),
  );
  const calls = examplesOf(tool).map((call) => {
    const flag = isReal || call.endsWith('--sandbox') ? '' : ' --sandbox';
    return `  ${ownCommand()} call ${call}${flag}`;
  });
  return [
    `${paint('bold', name)}  ${title}`,
    ...wrap(description, width),
    '',
    lines.length > 0 ? 'Arguments (* is required):' : 'It takes no arguments.',
    ...lines,
    '',
    ...(calls.length > 0 ? ['Try it:', ...calls, ''] : []),
    `It costs a model about ${tokens(tool)} tokens of context; its answers come on top.`,
  ].join('\n');
}

function starred({ inputSchema }: ListedTool, argument: string): string {
  return inputSchema.required?.includes(argument) ? `${argument}*` : argument;
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
  return Math.round(JSON.stringify(value).length / charactersPerToken).toLocaleString('en-US');
}

/**
 * What follows `call` to try a tool; none for the rows of an answer. Two lines are a look-up and what is asked
 * with an id of it; `--sandbox` is given where the ids are the sandbox's.
 */
export function examplesOf({
  name,
  inputSchema: { properties = {} },
}: ListedTool): readonly string[] {
  if (name === readRows.tool) return [];
  const days = ['period=last_week', 'date=yesterday', 'since=yesterday'];
  const usual = days.find((pair) => pair.replace(/=.*/, '') in properties);
  return examples[name] ?? [[name, ...(usual ? [usual] : [])].join(' ')];
}

const lookUp = 'list_orders period=yesterday limit=3 fields=id,order_number';

/** Of tools that need more than days, quoted for a shell: each first line runs as it is. */
const examples: Readonly<Record<string, readonly string[]>> = {
  search_customers: ['search_customers q=jansen limit=5'],
  get_customer: ['get_customer customer_id=20001 --sandbox'],
  list_orders: ['list_orders period=yesterday limit=5'],
  get_order: [lookUp, 'get_order order_id=ID'],
  list_order_items: [lookUp, 'list_order_items order_id=ID'],
  search_products: ['search_products q=koffie'],
  get_product: ['get_product shop_product_id=1001 --sandbox'],
  list_product_prices: ['list_product_prices product_ids=1001,1002 --sandbox'],
  list_stock: ['list_stock location_id=2 --sandbox'],
  get_location: ['get_location location_id=3 --sandbox'],
  find_reference: ['find_reference query=Utrecht'],
  compare_turnover: ['compare_turnover period=last_week by=shop'],
  query: [
    `query "sql=SELECT shop_id, count(*) AS orders FROM list_orders(period := 'yesterday') GROUP BY shop_id"`,
  ],
  show_figure: [
    `show_figure "sql=SELECT bucket, revenue.total_turnover_wt FROM turnover_trend(period := 'last_7_days')"`,
  ],
};
