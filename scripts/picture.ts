import { resolve } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { readFigure } from '../src/analysis/figure/figure.ts';
import { colorsOf, figureChart, init } from '../src/analysis/figure/figure-chart.ts';
import { ask, scenes } from '../src/cli/commands/demo.ts';
import { wrap } from '../src/cli/terminal/text.ts';
import { readConfig } from '../src/config/config.ts';
import { createApp } from '../src/mcp/app/app.ts';
import { createServer } from '../src/mcp/server/server.ts';
import { createLog } from '../src/mcp/telemetry/log.ts';
import { startSandbox } from '../src/sandbox/sandbox.ts';

type Scene = Parameters<typeof ask>[1];

const comparison: Scene = [
  'Which shops did worse last week than in the same week last year?',
  'compare_turnover',
  {
    period: 'last_week',
    against: 'year_earlier_same_weekdays',
    by: 'shop',
    measures: ['shop_totals.turnover_wt'],
  },
];

const statement: Scene = [
  'Which customers of last quarter stayed away last month?',
  'query',
  {
    sql: `SELECT q.customer_name AS customer, count(*) AS orders, sum(q.total_wt) AS euros
FROM list_orders(period := 'last_quarter', is_internal := false) q
ANTI JOIN list_orders(period := 'last_month', is_internal := false) m USING (relation_data_id)
WHERE q.relation_data_id IS NOT NULL GROUP BY ALL ORDER BY euros DESC LIMIT 3`,
  },
];

const figure: Scene = [
  'How did the shops do last week?',
  'show_figure',
  {
    title: 'Turnover per shop, last week against the week before',
    unit: 'euro',
    sql: `SELECT name AS shop, current AS "last week", reference AS "week before"
FROM compare_turnover(period := 'last_week', by := 'shop') WHERE measure LIKE '%turnover_wt'`,
  },
];

const usual: Scene = [
  'Is that usual, and where does the difference come from?',
  'compare_turnover',
  { period: 'last_week', against: 'usual', explain: true, measures: ['total_turnover_wt'] },
];

/** The exchanges that the README shows, and its picture of a conversation, from a real client of a real server. */
export async function drawExchanges() {
  process.env.BUILD_FOLDER ??= resolve('dist');
  // At a fixed moment, so that figures stay the same.
  const now = () => Date.parse('2026-11-20T09:00:00+01:00');
  const sandbox = await startSandbox({ now });
  const { baseUrl, authUrl, clientId, clientSecret } = sandbox;
  const config = readConfig({ env: {}, fallback: { baseUrl, authUrl, clientId, clientSecret } });
  const app = await createApp({ config, source: 'sandbox', log: createLog('silent'), now });
  const client = new Client({ name: 'picture', version: '0.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createServer(app).connect(far);
  await client.connect(near);
  try {
    const exchange = async (shown: readonly Scene[]) => {
      const texts: string[] = [];
      for (const scene of shown) texts.push((await linesOf(client, scene)).join('\n'));
      return ['```text', ...texts.join('\n\n').split('\n'), '```'];
    };
    return {
      glance: await exchange(scenes.slice(-2)),
      examples: await exchange([comparison, statement]),
      conversation: await drawConversation(client),
    };
  } finally {
    await client.close();
    await app.close();
    await sandbox.close();
  }
}

/** The lines of an exchange, as wide as a terminal of 80 columns shows them. */
async function linesOf(client: Client, scene: Scene): Promise<string[]> {
  const answer = await ask(client, scene, 78);
  // Ids of kept rows are others each time.
  const lines = answer.map((line) => `  ${line.replaceAll(/\br_\w{10}\b/g, 'r_0123456789')}`);
  return [`> ${scene[0]}`, ...lines.map((line) => line.trimEnd())];
}

const width = 840;
const margin = 24;
const lineHeight = 20;

/** Two questions with their answers as SVG: the same text on every machine. */
async function drawConversation(client: Client): Promise<string> {
  const answerOf = async ([, name, input]: Scene) =>
    Object(await client.callTool({ name, arguments: input })).structuredContent;
  const drawn = readFigure(Object(await answerOf(figure)).figure);
  if (drawn === undefined) throw new Error('no figure');
  const { context } = Object(await answerOf(usual));
  const style = { width: width - 2 * margin, theme: 'light', locale: 'en' } as const;
  const { option, height } = figureChart(drawn, style);
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: style.width, height });
  chart.setOption(option);
  const bars = chart.renderToSVGString();
  chart.dispose();
  const shapes: string[] = [];
  let top = margin;
  const add = (shape: string, taken: number) => {
    shapes.push(`<g transform="translate(${margin} ${top})">${shape}</g>`);
    top += taken;
  };
  add(questionShape(figure), 78);
  add(bars, height + margin);
  add(questionShape(usual), 78);
  for (const sentence of context.summary) {
    const lines = wrap(sentence, 116);
    add(
      lines.map((line, nth) => text(line, nth * lineHeight + 12)).join(''),
      lines.length * lineHeight + 6,
    );
  }
  const size = `width="${width}" height="${top + margin}"`;
  const frame = `<rect ${size} rx="12" fill="${colorsOf.light.background}"/>`;
  const title = `<title>${figure[0]} ${usual[0]}</title>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="Arial, Helvetica, sans-serif">\n${[title, frame, ...shapes].join('\n')}\n</svg>\n`;
}

/** A question in a bubble, and beneath it the tool that a model calls for it. */
function questionShape([question, tool]: Scene): string {
  const bubble = `<rect width="${question.length * 7 + 44}" height="36" rx="18" fill="${colorsOf.light.line}"/>`;
  return `${bubble}${text(question, 23, 20)}${text(`calls ${tool}`, 60, 0, colorsOf.light.muted)}`;
}

function text(content: string, y: number, x = 0, fill = colorsOf.light.text): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x}" y="${y}" font-size="14" fill="${fill}">${escaped}</text>`;
}
