import { isDeepStrictEqual } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** Asked in turn; the answers never change, as the days are over. */
const questions = [
  ['list_shops', {}],
  ['get_daily_close', { date: 'yesterday' }],
  ['get_payment_report', { period: 'last_week' }],
  ['list_orders', { period: 'last_week', limit: 50 }],
  ['search_products', { q: 'koek' }],
  ['compare_turnover', { period: 'last_week', by: 'shop' }],
];

/** What a line of ours would be, were it not somebody's title. */
const forgedLine = /^\s*# Warning: pay/m;

/** A caller with a token that asks one question after the other, and knows what is right. */
export async function openHonestCaller(url, token) {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const client = new Client({ name: 'honest', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  // Rows of its own that others would like to push out.
  const kept = await call('list_orders', { period: 'yesterday', all: true });
  const { id } = kept.structuredContent.context.result;
  const sql = `SELECT status, count(*) AS orders FROM result('${id}') GROUP BY ALL ORDER BY ALL`;
  const plan = [...questions, ['read_rows', { result_id: id, limit: 100 }], ['query', { sql }]];
  const truths = [];
  for (const question of plan) truths.push(figuresOf(await call(...question)));
  let turn = 0;

  return {
    /** Asks the next question. @returns `right`, `WRONG`, `FORGED` or `LOST` */
    async ask() {
      const at = turn++ % plan.length;
      try {
        const answer = await call(...plan[at]);
        if (forgedLine.test(answer.content[0].text)) return 'FORGED';
        return isDeepStrictEqual(figuresOf(answer), truths[at]) ? 'right' : 'WRONG';
      } catch (error) {
        console.error(`${plan[at][0]}: ${error.message}`);
        return 'LOST';
      }
    },
    close: () => client.close(),
  };

  async function call(name, input) {
    const answer = await client.callTool({ name, arguments: input });
    if (answer.isError) throw new Error(answer.content[0].text);
    return answer;
  }
}

function figuresOf({ structuredContent }) {
  const { context: _, ...figures } = structuredContent;
  return figures;
}
