import { expect, test } from 'vitest';
import { gatherUsage } from '../../../src/cli/commands/usage.ts';

async function* linesOf(...lines: (object | string)[]) {
  for (const line of lines) yield typeof line === 'string' ? line : JSON.stringify(line);
}

test('an audit is counted by person and business, from a moment on', async () => {
  const call = { time: 2000, msg: 'call', caller: 'alice', account: 'utrecht', outcome: 'ok' };
  const usages = await gatherUsage(
    linesOf(
      { ...call, time: 999, upstream_requests: 50 },
      { ...call, tool: 'list_orders', upstream_requests: 4, rows: 100 },
      { ...call, tool: 'commerce://results/{result_id}', upstream_requests: 0, rows: 2000 },
      { ...call, caller: 'bob', outcome: 'forbidden', upstream_requests: 1 },
      { ...call, caller: 'bob', outcome: 'scope', upstream_requests: 0 },
      { time: 3000, msg: 'refused', reason: 'no_token' },
      { time: 3000, msg: 'tokens', added: ['carol'], removed: [] },
      'no JSON',
    ),
    1000,
  );
  const none = { failed: 0, refused: 0, requests: 0, rows: 0, exports: 0 };
  const alice = { ...none, person: 'alice', calls: 2, requests: 4, rows: 2100, exports: 1 };
  const bob = { ...none, person: 'bob', calls: 2, failed: 1, refused: 1, requests: 1 };
  expect(usages).toEqual([
    { business: 'utrecht', ...alice },
    { business: 'utrecht', ...bob },
    { ...none, business: '-', person: '-', calls: 0, refused: 1 },
  ]);
});
