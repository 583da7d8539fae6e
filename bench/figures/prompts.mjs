// What each prompt costs: the calls of a model that follows it, and the tokens of their answers as
// text. The baseline is the edition before `query`, measured by the same calls its prompts named, at
// the same moment of the same invented business.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { root } from '../bundle.mjs';
import { openStdio } from '../line-client.mjs';
import { count } from '../measure.mjs';
import { ours } from '../servers.mjs';

/** When it is asked: the invented business has an unbalanced day in the week before. */
const moment = '2026-11-20T15:30:00+01:00';
const week = '2026-11-09..2026-11-15';

/**
 * What a model does with the text of a prompt: its statements, and the calls that it names otherwise.
 * `calls` and `tokens` are those of the edition before.
 */
const prompts = {
  // Without a statement: an installation without the engine offers this one.
  'compare-periods': {
    calls: 2,
    tokens: 1_344,
    first: [
      ['compare_turnover', { period: 'last_week', by: 'total' }],
      ['compare_turnover', { period: 'last_week', by: 'shop' }],
    ],
  },
  'daily-turnover': {
    calls: 3,
    tokens: 1_466,
    first: [['get_daily_close', { date: 'yesterday' }]],
  },
  'discount-audit': { calls: 4, tokens: 3_789 },
  'open-orders': { calls: 4, tokens: 4_293 },
  'payment-reconciliation': {
    calls: 12,
    tokens: 3_632,
    input: { period: week },
    first: [['get_payment_report', { period: week }]],
    // The days that stand in the prompt are examples: the week's own, and the day that was found.
    statement: (sql) =>
      sql
        .replace("DATE '2026-11-02', DATE '2026-11-08'", "DATE '2026-11-09', DATE '2026-11-15'")
        .replace("period := '2026-11-02'", "period := '2026-11-11'"),
    last: [['list_orders', { period: '2026-11-11', is_paid: false, sort: '-total_wt', top: 25 }]],
  },
  'product-performance': {
    calls: 5,
    tokens: 7_738,
    last: [['compare_turnover', { period: 'last_month', by: 'turnover_group' }]],
  },
  // Without a product, the last of its statements.
  'stock-check': { calls: 2, tokens: 5_034, statements: -1 },
  'vat-summary': { calls: 2, tokens: 2_029 },
};

export async function promptCosts() {
  const shift = pathToFileURL(join(root, 'test/setup/shifted-date.mjs'));
  shift.searchParams.set('aheadMs', String(Date.parse(moment) - Date.now()));
  const server = openStdio([`--import=${shift.href}`, ours, 'stdio', '--sandbox']);
  try {
    await server.initialize();
    const figures = [];
    for (const [name, prompt] of Object.entries(prompts)) {
      const made = await follow(server, name, prompt);
      figures.push(
        count(`prompt ${name}`, 'calls', made.calls, prompt.calls, { atMost: 1 }),
        count(`prompt ${name}`, 'tokens', made.tokens, prompt.tokens, { atMost: 1 }),
      );
    }
    return figures;
  } finally {
    await server.close();
  }
}

/** Makes the calls of a prompt and counts what comes back. */
async function follow(server, name, { input = {}, first = [], last = [], ...rest }) {
  const { statements = 0, statement = (sql) => sql } = rest;
  const { messages } = await server.request('prompts/get', { name, arguments: input });
  const text = messages.map(({ content }) => content.text).join('\n');
  const written = [...text.matchAll(/^ *```sql\n(.*?)^ *```/gms)].map(([, sql]) => sql);
  const queries = written.slice(statements).map((sql) => ['query', { sql: statement(sql) }]);
  const calls = [...first, ...queries, ...last];
  let tokens = 0;
  for (const [tool, given] of calls) {
    const { content } = await server.call(tool, given);
    tokens += encode(content.flatMap((block) => block.text ?? []).join('\n')).length;
  }
  return { calls: calls.length, tokens };
}
