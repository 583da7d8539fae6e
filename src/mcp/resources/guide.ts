import { behaviourOf } from '../../analysis/survey/behaviour.ts';
import { version } from '../../core/program.ts';
import { quote } from '../../core/text.ts';
import type { App } from '../app/app.ts';
import { allTools } from '../tools/catalogue.ts';
import guide from './guide.txt';

/**
 * The guide without parts that the caller lacks, with the behaviour of the account and the days whose order lines are
 * kept.
 */
export async function readGuide(app: App, signal: AbortSignal | undefined): Promise<string> {
  const { orderLines, hasTool, survey } = app.services;
  const days = hasTool('list_order_items') ? await orderLines?.keptDays() : undefined;
  const allowed = Object.entries(behaviourOf).filter(([tool]) => hasTool(tool));
  const behaviours = await Promise.all(allowed.map(([, name]) => survey.behaviour(name, signal)));
  const texts = behaviours.map((behaviour) => (behaviour ? `- ${behaviour.text}\n` : '')).join('');
  const values: Readonly<Record<string, string>> = {
    version,
    kept: days ? keptLines(days) : '',
    seen: texts && `## What was seen of this account\n${texts}\n`,
  };
  const text = app.catalogue
    .speak(guide)
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
  const parts = text.split(/\n(?=[-|#\n])/);
  return parts.filter((part) => app.catalogue.hasToolsIn(part)).join('\n');
}

const mainTables = /^(list_orders|list_order_items|get_product_sales|search_(products|customers))$/;

/** About 1,500 tokens, which a host may load before the first question. */
const maxCharacters = 5600;

/** The guide with as many columns of the main tables as fit; their heading never stands alone. */
export async function readAccountGuide(app: App, signal: AbortSignal): Promise<string> {
  const { statements, hasTool } = app.services;
  const mains = allTools.filter((tool) => hasTool(tool) && mainTables.test(tool));
  const tables = hasTool('query') ? await statements.tables(signal, mains).catch(() => []) : [];
  const lines = tables.flatMap(({ name, arguments: args, columns }) => {
    const isTool = hasTool(String(name));
    if (columns === '' || (isTool && !mains.includes(String(name)))) return [];
    // The schemas of tools already give their arguments.
    return `- ${name}${isTool ? '' : ` (${args})`}: ${quote(String(columns), 500)}`;
  });
  const sections = [await readGuide(app, signal), '\n## Tables of this account', ...lines];
  while (sections.join('\n').length > maxCharacters || sections.length === 2) sections.pop();
  return sections.join('\n');
}

function keptLines(days: string): string {
  return `- list_order_items: kept for ${days}. There \`query\` reads the lines of all orders at next to no cost:
  \`FROM list_order_items(order_id := (SELECT id FROM list_orders(period := 'last_30_days')))\`
`;
}
