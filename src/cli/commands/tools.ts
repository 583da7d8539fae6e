import { ConfigError, readConfig } from '../../config.ts';
import { toolsets } from '../../endpoints/define.ts';
import { figureViewAddress } from '../../mcp/resources/figure-page.ts';
import { unknownTool } from '../../mcp/server/call-tool.ts';
import { Catalogue, type ListedTool } from '../../mcp/tools/catalogue.ts';
import type { PropertySchema } from '../../mcp/tools/json-schema.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { openApp } from '../open-app.ts';
import { ownCommand } from '../program.ts';
import { paint, say, wrap } from '../terminal/text.ts';
import { withConnected } from './connect/entries.ts';

/** JSON Schema runs to about this many characters a token with the tokenizers in use. */
const charactersPerToken = 4;

/** Prints the catalogue, or one tool: arguments and what it costs a model's context. */
export async function tools(given: CommandLine): Promise<0> {
  const [name, ...rest] = given.operands;
  if (rest.length > 0) throw new UsageError(`one tool at a time, not also "${rest.join(' ')}"`);
  const documented = new Catalogue({ toolsets });
  if (name !== undefined && documented.find(name) === undefined)
    throw new UsageError(unknownTool(documented, name).message);
  const line = await withConnected(given);
  const { switches, env } = line;
  const { listed, note } = await readCatalogue(line);
  const one = listed.find((tool) => tool.name === name);
  if (name !== undefined && one === undefined)
    throw new UsageError(`${name} belongs to a toolset that COMMERCE_TOOLSETS leaves out`);
  const width = process.stdout.isTTY ? process.stdout.columns : undefined;
  const isSandbox = switches.has('sandbox') || !env.COMMERCE_BASE_URL;
  if (switches.has('json')) console.log(JSON.stringify(one ?? { tools: listed }));
  else if (one) console.log(renderTool(one, isSandbox, width));
  else console.log(renderCatalogue(listed, width));
  if (note) say(note, 'yellow');
  return 0;
}

/** The tools as the configured platform completes them, or as documented where none is configured. */
async function readCatalogue(
  line: CommandLine,
): Promise<{ listed: readonly ListedTool[]; note?: string }> {
  try {
    const { app, close } = await openApp(line);
    try {
      return { listed: app.catalogue.listing(await figureViewAddress()) };
    } finally {
      await close();
    }
  } catch (error) {
    if (!(error instanceof ConfigError) || !error.problems.every(({ missing }) => missing))
      throw error;
    const config = readConfig({ env: line.env, flags: line.values, fallback: noAccount });
    return {
      listed: new Catalogue({ toolsets: config.toolsets }).listing(await figureViewAddress()),
      note: 'No account is configured: these are the tools as documented. A platform may list more parameters for some of them.',
    };
  }
}

/** Stands in for an account, so that the other settings can be read; nothing is sent anywhere. */
const noAccount = {
  baseUrl: 'https://unconfigured.invalid',
  authUrl: 'https://unconfigured.invalid',
  clientId: 'unconfigured',
  clientSecret: 'unconfigured',
};

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
export function renderTool(tool: ListedTool, isSandbox: boolean, width?: number): string {
  const { name, title, description, inputSchema } = tool;
  const properties = Object.entries(inputSchema.properties ?? {});
  const column = Math.max(0, ...properties.map(([key]) => key.length)) + 3;
  const room = width === undefined ? undefined : Math.max(30, width - column - 2);
  const lines = properties.flatMap(([key, schema]) =>
    wrap(explain(schema), room).map((line, at) =>
      `  ${(at === 0 ? starred(tool, key) : '').padEnd(column)}${line}`.trimEnd(),
    ),
  );
  return [
    `${paint('bold', name)}  ${title}`,
    ...wrap(description, width),
    '',
    lines.length > 0 ? 'Arguments (* is required):' : 'It takes no arguments.',
    ...lines,
    '',
    ...exampleLines(name, isSandbox),
    `It costs a model about ${tokens(tool)} tokens of context; its answers come on top.`,
  ].join('\n');
}

function starred({ inputSchema }: ListedTool, argument: string): string {
  return inputSchema.required?.includes(argument) ? `${argument}*` : argument;
}

function explain(schema: PropertySchema): string {
  const { type, items, description, minimum, maximum } = schema;
  const words = schema.enum ?? items?.enum;
  const most = maximum === undefined || maximum > 1e9 ? '' : maximum;
  const notes = [
    type === 'array' ? `list of ${items?.type ?? 'value'}s` : (type ?? 'value'),
    ...(minimum === undefined && maximum === undefined ? [] : [`${minimum ?? ''}..${most}`]),
    ...(schema.default === undefined ? [] : [`default ${String(schema.default)}`]),
  ];
  return [
    ...(description === undefined ? [] : [`${description}.`.replace(/([.!?])\.$/, '$1')]),
    ...(words ? [`One of ${words.join(', ')}.`] : []),
    `(${notes.join(', ')})`,
  ].join(' ');
}

function exampleLines(name: string, isSandbox: boolean): string[] {
  const lines = examples[name]?.map((call) => {
    const flag = isSandbox && !call.endsWith('--sandbox') ? ' --sandbox' : '';
    return `  ${ownCommand()} call ${call}${flag}`;
  });
  if (lines === undefined) return [];
  return [lines.length > 1 ? 'Try it, with an id of the first:' : 'Try it:', ...lines, ''];
}

function tokens(value: unknown): string {
  return Math.round(JSON.stringify(value).length / charactersPerToken).toLocaleString('en-US');
}

const lookUp = 'list_orders period=yesterday limit=3 fields=id,order_number';

/**
 * What follows `call`, quoted for a shell, to try each tool: each first line runs as it is. Two lines are a
 * look-up and what is asked with an id of it; `--sandbox` is given where the ids are the sandbox's.
 */
export const examples: Readonly<Record<string, readonly string[]>> = {
  get_me: ['get_me'],
  search_customers: ['search_customers q=jansen limit=5'],
  get_customer: ['get_customer customer_id=20001 --sandbox'],
  list_customer_segments: ['list_customer_segments'],
  get_financial_report: ['get_financial_report period=last_month'],
  get_payment_report: ['get_payment_report period=last_week'],
  get_daily_close: ['get_daily_close date=yesterday'],
  get_product_sales: ['get_product_sales period=last_week'],
  list_discount_orders: ['list_discount_orders period=last_week'],
  list_orders: ['list_orders period=yesterday limit=5'],
  get_order: [lookUp, 'get_order order_id=ID'],
  list_order_items: [lookUp, 'list_order_items order_id=ID'],
  list_order_changes: ['list_order_changes since=yesterday'],
  search_products: ['search_products q=koffie'],
  get_product: ['get_product shop_product_id=1001 --sandbox'],
  list_product_prices: ['list_product_prices product_ids=1001,1002 --sandbox'],
  list_product_changes: ['list_product_changes since=last_30_days'],
  list_stock: ['list_stock location_id=2 --sandbox'],
  list_shops: ['list_shops'],
  list_locations: ['list_locations'],
  get_location: ['get_location location_id=3 --sandbox'],
  list_tax_rates: ['list_tax_rates country_code=NL'],
  list_turnover_groups: ['list_turnover_groups'],
  list_payment_methods: ['list_payment_methods'],
  find_reference: ['find_reference query=Utrecht'],
  compare_turnover: ['compare_turnover period=last_week by=shop'],
  turnover_trend: ['turnover_trend period=last_8_weeks bucket=week'],
  query: [
    `query "sql=SELECT shop_id, count(*) AS orders FROM list_orders(period := 'yesterday') GROUP BY shop_id"`,
  ],
  show_figure: [
    `show_figure "sql=SELECT bucket, revenue.total_turnover_wt FROM turnover_trend(period := 'last_7_days')"`,
  ],
};
