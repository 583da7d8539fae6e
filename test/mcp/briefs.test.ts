import { describe, expect, test } from 'vitest';
import { endpointMessages } from '../../src/analysis/endpoint/messages.ts';
import type { World } from '../../src/sandbox/world/world.ts';
import { hurried } from '../faults/faulty-server.ts';
import type { SandboxOptions } from '../sandbox/start-sandbox.ts';
import { accounts, sandboxAt, serverOver, sharedServer, type TestServer } from '../server-over.ts';
import { folderWith } from '../setup/folder.ts';

/** The text of a brief for its caller, and the requests that it took. */
async function readBrief({ client, sandbox: { stats } }: TestServer, name: string) {
  const before = stats.requests;
  const { contents } = await client.readResource({ uri: `commerce://briefs/${name}` });
  const [content] = contents;
  const text = content && 'text' in content ? content.text : '';
  return { text, requests: stats.requests - before, blocks: text.split('\n### ').slice(1) };
}

describe.each(accounts)('morning over a $description description, names $dialect', (account) => {
  const server = sharedServer(account);

  test('takes at most 32 requests, and none again', async () => {
    const { text, requests, blocks } = await readBrief(server(), 'morning');
    console.info(`morning, ${account.description}: ${requests} requests`);
    expect(requests).toBeLessThanOrEqual(32);
    expect(text).toMatch(/^# Morning: how yesterday went\n\nTurnover and whether it is usual/);
    expect(text).not.toMatch(/Not read whole|failed|There is no|No view/);
    expect(blocks.map((block) => block.split('\n')[0])).toEqual([
      'Against what is usual, and where the difference comes from',
      'Each shop against what is usual, the furthest below first',
      'The last seven days',
      'By method',
      'Orders of 90 days that are not paid',
      'The ten oldest of these 90 days; older orders are not among them',
    ]);
    expect(blocks[0]).toMatch(/2026-11-19 \(yesterday\); as of .*source: sandbox/);
    expect(blocks[5]?.match(/^\| /gm)).toHaveLength(12);
    expect((await readBrief(server(), 'morning')).requests).toBe(0);
  });

  test('the morning brief of a week is whole', async () => {
    const { text } = await readBrief(server(), 'week');
    expect(text).not.toMatch(/failed|There is no|No view/);
    expect(text).toContain('### VAT by rate');
    expect(text).toMatch(/^# The week: last week\n/);
    expect(text).toMatch(/; week before incl\. VAT: total [\d,.]+, highest [\d,.]+ \(beside /);
    // Names of columns stand in the notes below a block alone, and amounts have one form.
    const said = text.split('\n').filter((line) => !line.startsWith('> '));
    expect(said.join('\n')).not.toMatch(/[a-z]_[a-z]|€|undefined|\d{4}\.\d\d\b/);
  });
});

/** The server as it is at noon of the day after a day of its sandbox. */
async function serverAfter(dayOf: (world: World) => string, account: SandboxOptions = {}) {
  const sandbox = await sandboxAt({ ordersPerDay: 12, ...account });
  const after = Date.parse(`${dayOf(sandbox.world)}T12:00:00+01:00`) + 86_400_000;
  return serverOver('memory', { sandbox, now: () => after });
}

test.each(accounts)('payments that do not balance are news, names $dialect', async (account) => {
  const server = await serverAfter(({ unbalancedDay }) => unbalancedDay.date, account);
  const { blocks } = await readBrief(server, 'morning');
  const { differenceCents } = server.sandbox.world.unbalancedDay;
  const [news] = blocks.filter((it) => it.startsWith('Payments that do not balance\n'));
  expect(news).toContain(` incl. VAT | ${(differenceCents / 100).toFixed(2)} |`);
  expect(news?.match(/^\| .* incl\. VAT \|/gm)).toHaveLength(3);
});

test('a day without trade is told as such', async () => {
  const server = await serverAfter(({ closedDay }) => closedDay);
  const { text } = await readBrief(server, 'morning');
  const { closedDay: day } = server.sandbox.world;
  expect(text).toContain(endpointMessages.all_zero({ period: { from: day, to: day } }).text);
  expect(text).not.toContain('failed');
});

test('a caller without orders has the blocks of reports, and is told which are not open', async () => {
  const settings = { COMMERCE_TOOLSETS: 'reports,analysis,reference' };
  const server = await serverOver('memory', { ordersPerDay: 12, settings });
  const { text, blocks } = await readBrief(server, 'morning');
  const unread = blocks.filter((block) => /^> query: /m.test(block) && !/^\| /m.test(block));
  expect(unread.map((block) => block.split('\n')[0])).toEqual([
    'Orders of 90 days that are not paid',
    'The ten oldest of these 90 days; older orders are not among them',
    'Sold in the last seven days, and none left',
  ]);
  expect(blocks[0]).toContain('total turnover incl. VAT');
  expect(text).not.toContain('order_number |');
});

test('a block that fails is told in its place, and the others stand', async () => {
  const server = await serverOver('memory', { ordersPerDay: 12, runtime: hurried() });
  server.sandbox.control.inject('502:path=/api/report/daily-close');
  const { blocks } = await readBrief(server, 'morning');
  expect(blocks[3]).toMatch(/^By method\n\n> .*502/);
  expect(blocks[4]).toMatch(/^Payments that do not balance\n\n> .*502/);
  expect(blocks[0]).toContain('total turnover incl. VAT');
  expect(blocks.at(-1)).toContain('| order number |');
});

describe('a brief of the business', () => {
  const head = '---\ntitle: Ours\ndescription: Of our own\nparameter shop = Webshop\n---\n';
  const serverWith = async (files: Record<string, string>) => {
    const named = Object.entries(files).map(([name, text]) => [`briefs/${name}`, text]);
    const folder = folderWith(Object.fromEntries(named));
    return serverOver('memory', { settings: { COMMERCE_DEFINITIONS: folder } });
  };

  test('is listed with ours, and takes the place of one of the same name', async () => {
    const morning = `${head}Hello {{shop}}.\n`;
    const server = await serverWith({ 'morning.md': morning, 'a b.md': morning, 'broken.md': 'x' });
    const { resources } = await server.client.listResources();
    const briefs = resources.filter(({ uri }) => uri.startsWith('commerce://briefs/'));
    expect(briefs.map(({ uri, title }) => [uri, title]).toSorted()).toEqual([
      ['commerce://briefs/a%20b', 'Ours'],
      ['commerce://briefs/morning', 'Ours'],
      ['commerce://briefs/week', 'The week: last week'],
    ]);
    expect((await readBrief(server, 'morning')).text).toBe(
      '# Ours\n\nOf our own\n\nHello Webshop.\n',
    );
    expect((await readBrief(server, 'a%20b')).text).toContain('Hello Webshop.');
    await expect(readBrief(server, 'broken')).rejects.toThrow('briefs/broken.md:1:');
    await expect(readBrief(server, 'evening')).rejects.toThrow('evening');
  });

  test('has the total of a comparison below its rows', async () => {
    const call = 'compare_turnover period=yesterday by=shop measures=turnover_wt';
    const files = { 'shops.md': `${head}\`\`\`call\n${call}\n\`\`\`\n` };
    const { text } = await readBrief(await serverWith(files), 'shops');
    expect(text).toMatch(/\| Groothandel \|.*\n\| {2}\| total \| \d/);
  });

  test('holds names of the account as text, whatever they would be in Markdown', async () => {
    const text = `${head}\`\`\`sql\nSELECT '<b>*x*</b> | [a](b)' AS "a|b"\n\`\`\`\n`;
    const { text: told } = await readBrief(await serverWith({ 'odd.md': text }), 'odd');
    expect(told).toContain('| a\\|b |');
    expect(told).toContain('| \\<b\\>\\*x\\*\\</b\\> \\| \\[a\\](b) |');
  });
});
