import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { readFigure } from '../../../analysis/figure/figure.ts';
import { parseJson } from '../../../core/json.ts';
import { writeFigureFiles } from '../../figure-files.ts';
import { viewFigure } from '../../terminal/figure/view-figure.ts';
import { paint } from '../../terminal/paint.ts';
import { alignTable } from '../../terminal/table.ts';
import { wrap } from '../../terminal/wrap.ts';
import {
  access,
  comparison,
  dailyClose,
  drawn,
  financialReport,
  orders,
  products,
  strayed,
  unpaid,
} from './answers.ts';
import { askTool, euros } from './ask.ts';

/** A question of the demo, and how its answer is shown. */
interface Scene {
  question: string;
  /** The tool without which it is left out. */
  tool?: string;
  ask(client: Client): Promise<string[]>;
}

/** What the demo asks, in order. */
export const scenes: readonly Scene[] = [
  {
    question: 'How was yesterday?',
    async ask(client) {
      const { lines, answer } = await askTool(client, 'get_daily_close', { date: 'yesterday' });
      const close = dailyClose.parse(answer);
      return [
        ...lines,
        `Turnover ${euros(close.turnover_wt)} incl. VAT, ${euros(close.turnover)} excl., ${close.order_count} orders.`,
        '',
        ...alignTable(
          [{ title: 'paid with' }, { title: 'euros', isFigure: true }],
          close.payments.map(({ name, amount_wt }) => [name, euros(amount_wt)]),
        ),
      ];
    },
  },
  {
    question: 'And the VAT?',
    async ask(client) {
      const { lines, answer } = await askTool(client, 'get_financial_report', {
        period: 'yesterday',
      });
      const report = financialReport.parse(answer);
      const names = report.context.labels.tax_rate_id ?? {};
      return [
        ...lines,
        ...alignTable(
          [
            { title: 'rate (paid directly)' },
            { title: 'excl.', isFigure: true },
            { title: 'VAT', isFigure: true },
            { title: 'incl.', isFigure: true },
          ],
          report.direct_paid.rates.map(({ tax_rate_id, turnover, vat, turnover_wt }) => [
            names[tax_rate_id] ?? String(tax_rate_id),
            euros(turnover),
            euros(vat),
            euros(turnover_wt),
          ]),
        ),
      ];
    },
  },
  {
    question: 'Which shops did it, against the same day a week earlier?',
    async ask(client) {
      const { lines, answer } = await askTool(client, 'compare_turnover', {
        period: 'yesterday',
        against: 'week_earlier',
        by: 'shop',
      });
      const { data } = comparison.parse(answer);
      return [
        ...lines,
        ...alignTable(
          [
            { title: 'shop' },
            { title: 'yesterday', isFigure: true },
            { title: 'week earlier', isFigure: true },
            { title: 'change', isFigure: true },
          ],
          data
            .filter(({ measure }) => measure.endsWith('_wt'))
            .map(({ name, current, reference, percent }) => [
              name,
              euros(current),
              euros(reference),
              percent === null ? '' : `${percent > 0 ? '+' : ''}${percent.toFixed(1)}%`,
            ]),
        ),
      ];
    },
  },
  {
    question: 'Can I see the last two weeks?',
    tool: 'show_figure',
    async ask(client) {
      const sql =
        "SELECT bucket AS day, revenue.total_turnover_wt AS turnover FROM turnover_trend(period := 'last_14_days')";
      const input = { sql, unit: 'euro', title: 'Turnover of the last two weeks' };
      const { lines, answer, error } = await askTool(client, 'show_figure', input);
      const figure = readFigure(drawn.parse(answer ?? {}).figure);
      if (figure === undefined) return [...lines, error];
      const folder = await mkdtemp(join(tmpdir(), 'commerce-mcp-'));
      const page = join(folder, 'figure.html');
      await writeFigureFiles({ html: page }, answer);
      return [
        ...lines,
        ...viewFigure(figure, { width: 78, locale: 'en' }),
        '',
        `The same for a browser: ${page}`,
      ];
    },
  },
  {
    question: 'What came in last?',
    async ask(client) {
      const { lines, answer } = await askTool(client, 'list_orders', {
        period: 'last_7_days',
        limit: 5,
      });
      const { data, context } = orders.parse(answer);
      return [
        ...lines,
        ...alignTable(
          [
            { title: 'order' },
            { title: 'placed' },
            { title: 'shop' },
            { title: 'status' },
            { title: 'euros', isFigure: true },
          ],
          data.map((order) => [
            String(order.order_number),
            order.date_created.slice(0, 16).replace('T', ' '),
            context.labels.shop_id?.[order.shop_id] ?? String(order.shop_id),
            order.status,
            euros(order.total_wt),
          ]),
        ),
      ];
    },
  },
  {
    question: 'How many unpaid orders this month, and how much together?',
    async ask(client) {
      const { lines, answer } = await askTool(client, 'list_orders', {
        period: 'this_month',
        is_paid: false,
        all: true,
        fields: ['total_wt'],
        limit: 0,
      });
      const { count, context } = unpaid.parse(answer);
      const sum = context.result?.columns.find(({ name }) => name === 'total_wt')?.sum;
      return [
        ...lines,
        sum === undefined
          ? `${count} orders.`
          : `${count} orders, ${euros(sum)} incl. VAT (every page read, summed in decimals).`,
      ];
    },
  },
  {
    question: 'Which customers of last quarter stayed away last month?',
    tool: 'query',
    async ask(client) {
      const sql = `SELECT o.customer_name AS customer, count(*) AS orders, sum(o.total_wt) AS euros
FROM list_orders(period := 'last_quarter') o
ANTI JOIN list_orders(period := 'last_month') l ON l.relation_data_id = o.relation_data_id
WHERE o.relation_data_id IS NOT NULL GROUP BY ALL ORDER BY euros DESC LIMIT 5`;
      const { lines, answer, error } = await askTool(client, 'query', { sql });
      if (error !== '') return [...lines, ...wrap(error, 76)];
      return [
        ...lines,
        ...alignTable(
          [
            { title: 'customer' },
            { title: 'orders', isFigure: true },
            { title: 'euros', isFigure: true },
          ],
          strayed
            .parse(answer)
            .data.map((row) => [row.customer, String(row.orders), euros(row.euros)]),
        ),
      ];
    },
  },
  {
    question: 'How much coffee is left in Utrecht Centraal?',
    async ask(client) {
      const { lines, answer } = await askTool(client, 'search_products', {
        q: 'koffiebonen',
        location_id: 'Utrecht Centraal',
      });
      const { data } = products.parse(answer);
      return [
        ...lines,
        ...alignTable(
          [{ title: 'product' }, { title: 'sku' }, { title: 'stock', isFigure: true }],
          data.map(({ title, sku, stock }) => [title, sku, String(stock)]),
        ),
      ];
    },
  },
  {
    question: 'What does a mistake look like?',
    async ask(client) {
      const { lines, error } = await askTool(client, 'list_orders', {
        period: 'yesterday',
        shop_id: 'utrecht',
      });
      return [...lines, ...wrap(error, 76)];
    },
  },
  {
    question: 'How much rate budget did all this take?',
    async ask(client) {
      const { contents } = await client.readResource({ uri: 'commerce://access' });
      const [content] = contents;
      const text = content !== undefined && 'text' in content ? content.text : '';
      const { rate_budget: budget } = access.parse(parseJson(text));
      return [
        paint('dim', 'reads commerce://access'),
        `${budget.limit - budget.remaining} of ${budget.limit} requests in this minute.`,
      ];
    },
  },
];
