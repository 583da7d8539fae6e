// Tokens of answers, beside the JSON of the platform.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { ours } from '../bundle.mjs';
import { openStdio } from '../line-client.mjs';
import { count } from '../measure.mjs';
import { openPlatform } from '../open-platform.mjs';

/** Most tokens of the list of all tools. */
const listBudget = 8000;

export async function context() {
  const platform = await openPlatform();
  const server = openStdio([ours, 'stdio'], platform.settings);
  try {
    await server.initialize();
    const { tools } = await server.request('tools/list');
    const listing = tokens(JSON.stringify({ tools }));
    const orders = await cost(server, 'list_orders', { period: 'last_week', limit: 100 });
    const close = await cost(server, 'get_daily_close', { date: 'yesterday' });
    return [
      count(`tools/list, ${tools.length} tools`, 'tokens', listing, listBudget, { atMost: 1 }),
      count('100 orders as text', 'tokens', ...orders, { atMost: 0.45 }),
      count('a daily close as text', 'tokens', ...close, { atMost: 1.2 }),
    ];
  } finally {
    await server.close();
    await platform.close();
  }
}

/** Tokens of an answer as text, and of the payload of the platform as JSON. */
async function cost(server, tool, input) {
  const { content, structuredContent } = await server.call(tool, input);
  const { context: _, ...payload } = structuredContent;
  const text = content.flatMap((block) => block.text ?? []).join('\n');
  return [tokens(text), tokens(JSON.stringify(payload))];
}

function tokens(text) {
  return encode(text).length;
}
