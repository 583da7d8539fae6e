/** Skills as a host finds, checks and loads them: with the extension of the SDK's own client. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { connectNew, type NewConnection } from '../../clients.ts';
import { describedAs, type HttpServer, serverOver } from '../../server-over.ts';
import { closeAfterwards } from '../../setup/closing.ts';
import { folderWith } from '../../setup/folder.ts';
import { account, binary, environment } from '../../spawn.ts';
import { bearer } from '../http/messages.ts';

const busyHours = (text: string) => `---
title: Busy hours
description: "Orders: which hours of a day are busy"
arguments:
  - name: day
    description: A day
    required: true
---
${text}
`;
const definitions = folderWith({
  'prompts/busy_hours.md': busyHours('Count the orders of {{day}} by hour.'),
  'prompts/vat summary.md': busyHours('Of two with one name the first is the skill.'),
  'prompts/Commerce.md': busyHours('The guide keeps its name.'),
});

const tokens = { all: 'a-token-that-opens-all', reports: 'a-token-that-opens-reports' };
let server: HttpServer;
beforeAll(async () => {
  const COMMERCE_HTTP_TOKENS = `all:${tokens.all};reports:${tokens.reports}:reports,analysis`;
  const settings = { COMMERCE_DEFINITIONS: definitions, COMMERCE_HTTP_TOKENS };
  server = await serverOver('http', { settings });
});

const eras = { 'of 2025': 'legacy', 'of 2026-07-28': { pin: '2026-07-28' } } as const;

/** A host of an era, with the toolsets of a token. */
async function hostOf(era: keyof typeof eras, token: string = tokens.all) {
  const options = { requestInit: { headers: bearer(token) } };
  const transport = new StreamableHTTPClientTransport(new URL(server.url), options);
  const { client, close } = await connectNew(transport, eras[era]);
  closeAfterwards(close);
  return { client, skills: new SkillsClient(client) };
}

describe.each(['of 2025', 'of 2026-07-28'] as const)('a host %s', (era) => {
  test('a host finds the guide first, and each prompt as a skill whose digest and head are right', async () => {
    const { client, skills } = await hostOf(era);
    expect(skills.supported).toBe(true);
    const { skills: found, invalid } = await skills.list();
    expect(invalid).toEqual([]);
    const { prompts } = await client.listPrompts();
    const names = prompts.map(({ name }) => name).filter((name) => /^[a-z-]+$/.test(name));
    expect(found.map(({ frontmatter }) => frontmatter.name)).toEqual([
      'commerce',
      ...names,
      'busy-hours',
    ]);
    for (const skill of found.slice(1)) {
      expect(await skills.get(skill.uri)).toMatchObject({ skill });
      const file = await skills.read(skill);
      expect(file).toMatchObject({ verified: true, mimeType: 'text/markdown' });
      expect(encode(file.text ?? '').length).toBeLessThanOrEqual(1000);
    }
  });

  test('a host reads a skill with its arguments and their defaults', async () => {
    const { client } = await hostOf(era);
    const uri = 'skill://busy-hours/SKILL.md';
    const { contents } = await client.readResource({ uri });
    expect(contents).toEqual([
      {
        uri,
        mimeType: 'text/markdown',
        text: `---
name: busy-hours
description: "Orders: which hours of a day are busy"
---
Put these in where the question says them:
- {{day}}: A day; ask for it

Count the orders of {{day}} by hour.
`,
      },
    ]);
    const ofPackage = await client.readResource({ uri: 'skill://open-orders/SKILL.md' });
    const text = expect.stringContaining('ask for it, else this_month');
    expect(ofPackage.contents[0]).toHaveProperty('text', text);
  });

  test('a host without orders finds, gets and reads no skill that needs them', async () => {
    const { client, skills } = await hostOf(era, tokens.reports);
    const { skills: found } = await skills.list();
    const names = found.map(({ frontmatter }) => frontmatter.name);
    expect(names).toContain('vat-summary');
    expect(names).not.toContain('open-orders');
    const uri = 'skill://open-orders/SKILL.md';
    await expect(skills.get(uri)).rejects.toMatchObject({ code: -32_602 });
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_602 });
  });

  test('a host without the extension sees no skills', async () => {
    const { client } = await hostOf(era);
    const lists = [
      await client.listTools(),
      await client.listResources(),
      await client.listResourceTemplates(),
    ];
    expect(JSON.stringify(lists)).not.toContain('skill:');
  });
});

test('an address that no skill has is not found', async () => {
  const { client } = await hostOf('of 2025');
  for (const uri of ['skill://x', 'skill://commerce', 'skill://%/SKILL.md'])
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_602 });
});

describe.each(describedAs)('the guide as a skill, over a %s description', (description) => {
  test('the guide tells the columns and defaults of the account within 1,500 tokens', async () => {
    const settings = { COMMERCE_DEFINITIONS: 'definitions' };
    const { client, app } = await serverOver('memory', { description, settings });
    const skills = new SkillsClient(client);
    const { skill } = await skills.get('skill://commerce/SKILL.md');
    expect(skill.resources).toBe('dynamic');
    const { text = '' } = await skills.read(skill);
    const cost = encode(text).length;
    console.info(`the skill commerce, ${description}: ${cost} tokens`);
    expect(cost).toBeLessThanOrEqual(1500);
    for (const line of [
      /^- list_orders: .*\btotal_wt\b/m,
      /^- list_order_items: .*\bquantity\b/m,
      /^- regulars \(.*at_least = 3\): /m,
      /^- Without is_internal the platform /m,
    ])
      expect(text).toMatch(line);
    const { survey } = app.services;
    expect(text).toContain(`- ${(await survey.behaviour('product_sales_returns'))?.text}\n`);
  });
});

describe('a file of a prompt that changes', () => {
  /** Changes it, and gives the texts of its prompt and its skill once the host was told. */
  async function change(client: NewConnection['client'], body: string) {
    const told = { prompts: vi.fn(), resources: vi.fn() };
    client.setNotificationHandler('notifications/prompts/list_changed', told.prompts);
    client.setNotificationHandler('notifications/resources/list_changed', told.resources);
    if (client.getNegotiatedProtocolVersion() === eras['of 2026-07-28'].pin)
      await client.listen({ promptsListChanged: true, resourcesListChanged: true });
    await client.listPrompts();
    writeFileSync(join(definitions, 'prompts/busy_hours.md'), busyHours(body));
    await vi.waitFor(() => {
      expect(told.prompts).toHaveBeenCalled();
      expect(told.resources).toHaveBeenCalled();
    }, 10_000);
    const asked = { name: 'busy_hours', arguments: { day: 'today' } };
    const { messages } = await client.getPrompt(asked);
    const skills = new SkillsClient(client);
    const { skill } = await skills.get('skill://busy-hours/SKILL.md');
    return { prompt: JSON.stringify(messages), skill: (await skills.read(skill)).text };
  }

  test('a changed prompt is told over stdio to a host of 2025', async () => {
    const env = environment({
      ...account(server.sandbox, server.sandbox.keys.owner),
      COMMERCE_DEFINITIONS: definitions,
    });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [binary, 'stdio'],
      env,
    });
    const { client, close } = await connectNew(transport, 'legacy');
    closeAfterwards(close);
    const { prompt, skill } = await change(client, 'Over stdio.');
    expect(prompt).toContain('Over stdio.');
    expect(skill).toContain('Over stdio.');
  });

  test('a changed prompt is told over HTTP to listeners, who take no place of those who ask', async () => {
    const { client } = await hostOf('of 2026-07-28');
    const { prompt, skill } = await change(client, 'Over HTTP.');
    expect(prompt).toContain('Over HTTP.');
    expect(skill).toContain('Over HTTP.');
    expect(await server.metric('commerce_mcp_queue_active', bearer(tokens.all))).toBe(0);
  });
});
