// What the clients ask, and what became of it.

/**
 * Ways to ask. An outcome is `right`, `answered` (not held against anything), `cancelled`,
 * `WRONG`, `PROTOCOL ERROR` or, for a refusal, its kind.
 */
export function questions(world) {
  const day = world.unbalancedDay.date;
  const order = world.orders(day)[0]?.id ?? 1;
  const asked = [
    ['get_me', {}],
    ['list_shops', {}],
    ['get_daily_close', { date: 'yesterday' }],
    ['get_financial_report', { period: 'last_month' }],
    ['get_payment_report', { from: day }],
    ['list_orders', { period: 'last_week', limit: 50 }],
    ['list_orders', { period: 'last_30_days', all: true }],
    ['list_order_changes', { since: 'yesterday', all: true }],
    ['get_order', { order_id: order }],
    ['list_order_items', { order_id: order }],
    ['search_products', { q: 'koek' }],
    ['get_product', { shop_product_id: 1001 }],
    ['list_stock', { location_id: 2 }],
    ['search_customers', { q: 'jansen' }],
    ['find_reference', { query: 'Utrecht' }],
    ['compare_turnover', { period: 'last_week', by: 'shop' }],
    ['turnover_trend', { period: 'last_7_days', bucket: 'day' }],
    ['list_orders', { period: 'last_wek' }],
  ];
  let truth;
  return {
    /** One of the questions, by chance. */
    async any(client, signal) {
      const [tool, args] = asked[Math.floor(Math.random() * asked.length)];
      return ask(client, tool, args, signal);
    },
    /** A report whose figures were read before, to the last digit. */
    plain: (client) => askForTruth(client),
  };

  async function ask(client, name, input, signal) {
    // Every eighth question is one whose answer is known.
    if (signal === undefined && Math.random() < 0.125) return askForTruth(client);
    try {
      const options = signal === undefined ? {} : { signal };
      return outcome(await client.callTool({ name, arguments: input }, options));
    } catch (error) {
      if (signal?.aborted) return 'cancelled';
      console.error(`${name}: ${error.message}`);
      return 'PROTOCOL ERROR';
    }
  }

  async function askForTruth(client) {
    const call = { name: 'get_daily_close', arguments: { date: day } };
    const answer = await client.callTool(call);
    if (answer.isError) return outcome(answer);
    const { context: _, ...figures } = answer.structuredContent;
    const told = JSON.stringify(figures);
    truth ??= told;
    return told === truth ? 'right' : 'WRONG';
  }
}

const kinds = [
  [/answered (\d{3}), a redirect/, ([, status]) => `redirect ${status}`],
  [/answered 200, but the answer|without a list of rows/, () => 'malformed answer'],
  [/answered (\d{3})/, ([, status]) => `status ${status}`],
  [/No access token/, () => 'no access token'],
  [/this API key: it was revoked/, () => 'key revoked'],
  [/rate budget/, () => 'rate budget'],
  [/kept every connection busy|requests are waiting/, () => 'overloaded'],
  [/no whole answer within/, () => 'timeout'],
  [/more than \d+ MB/, () => 'too large'],
  [/the connection (was|failed)|nothing answers/, () => 'connection'],
  [/period must be|Did you mean/, () => 'wrong argument, as asked'],
  [/Something unexpected/, () => 'UNEXPECTED'],
];

function outcome({ isError, content }) {
  if (!isError) return 'answered';
  const { text } = content[0];
  for (const [pattern, kind] of kinds) {
    const found = pattern.exec(text);
    if (found) return kind(found);
  }
  console.error(`no kind: ${text}`);
  return 'another refusal';
}
