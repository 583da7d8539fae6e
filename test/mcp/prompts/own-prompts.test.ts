import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { referenceKinds } from '../../../src/analysis/reference/reference.ts';
import { analysisTools } from '../../../src/analysis/tools.ts';
import { periodWords } from '../../../src/core/periods.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import {
  fillPrompt,
  type Prompt,
  parsePrompt,
  readPrompts,
} from '../../../src/mcp/prompts/prompts.ts';
import { hinted } from '../../query-engine.ts';
import { sayInOther } from '../../sandbox/other-dialect.ts';
import type { Dialect } from '../../sandbox/start-sandbox.ts';
import { accounts, sharedServer, type TestServer } from '../../server-over.ts';

const folder = fileURLToPath(new URL('../../../prompts/', import.meta.url));

const prompts = await Promise.all(
  readdirSync(folder).map(async (file): Promise<[string, Prompt]> => {
    const text = readFileSync(join(folder, file), 'utf8');
    return [file.replace(/\.md$/, ''), await parsePrompt(file, text)];
  }),
);

const definitions = [...endpoints, ...analysisTools];
const tools = definitions.map(({ tool }) => tool);

test('the prompts are all readable, in the order of their names', async () => {
  const errors: unknown[] = [];
  const read = await readPrompts([folder], { warn: (facts) => errors.push(facts) });
  expect(errors).toEqual([]);
  expect(read.map(({ name }) => name)).toEqual(prompts.map(([name]) => name).sort());
});

describe.each(prompts)('the prompt %s', (_, prompt) => {
  const { body } = prompt;
  const filled = fillPrompt(prompt, {});

  test('fills without any argument, at most a page, and says what an empty one means', () => {
    expect(filled, '{{name}} is the name of an argument').not.toMatch(/\{\{|\}\}|undefined|null,/);
    expect(filled.split('\n').length, 'lines').toBeLessThanOrEqual(60);
    expect(filled.length, 'characters').toBeLessThan(4500);
    const empty = filled.split('\n').filter((line) => /^- .*: *$/.test(line));
    const unsaid = empty.filter((line) => !line.includes('(empty: '));
    expect(unsaid, 'say what an empty argument means: (empty: all)').toEqual([]);
  });

  test('uses every argument it takes, and completes from what exists those that are no free text', () => {
    for (const { name, description, required, default: standard, complete } of prompt.arguments) {
      expect(required, `${name} has a default, or says what it means when it is empty`).toBe(false);
      const withValue = fillPrompt(prompt, { [name]: '<<given>>' });
      expect(withValue, `nothing uses {{${name}}}`).toContain('<<given>>');
      if (standard === '') expect(description, `of ${name}: what empty means`).toContain('empty');
      if (complete === undefined) continue;
      const kinds = ['period', ...referenceKinds];
      const hint = `complete of ${name}: ${kinds.join(', ')} or a list of values`;
      if (typeof complete === 'string') expect(kinds, hint).toContain(complete);
      else expect(complete.length, hint).toBeGreaterThan(1);
      const values = complete === 'period' ? periodWords : complete;
      if (standard !== '') expect(values).toContain(standard);
    }
  });

  test('names only tools that exist, with arguments that some tool takes', () => {
    const named = [
      ...body.matchAll(/`((?:get|list|search|find|compare|read)_[a-z_]+|query)`/g),
      ...body.matchAll(/(?:FROM|JOIN) (\w+)\(/g),
    ];
    const hint =
      'Gather names two tools, as `list_orders` or as FROM list_orders(...) in a statement';
    expect(named.map(([, tool]) => tool).length, hint).toBeGreaterThan(1);
    for (const [, tool] of named) expect([...tools, 'generate_series'], hint).toContain(tool);
    for (const [text, name = '', value = ''] of filled.matchAll(/`([a-z_]+):\s([^`]+)`/g)) {
      const takes = definitions.some(
        ({ input }) => input.shape[name]?.safeParse(JSON.parse(value)).success,
      );
      expect(takes, `no tool takes ${text}`).toBe(true);
    }
  });

  test('asks for the checks and the language', () => {
    for (const heading of ['## Gather', '## Check before you write', '## Answer'])
      expect(body).toContain(`\n${heading}\n`);
    const checked = 'the check looks at one of context.period, .complete, .as_of or .tables';
    expect(body, checked).toMatch(/context\.(period|complete|as_of|tables)/);
    const ending = 'it ends with: Write in the language that I write in.';
    expect(body.replace(/\s+/g, ' '), ending).toMatch(/Write in the language that I write in\.$/);
  });
});

/** Columns that a prompt leaves to an account that has shown nothing, by the sandbox's own names. */
const columns: Readonly<Record<string, string>> = {
  'order moment': 'date_created',
  'line quantity': 'quantity',
  'line total with VAT': 'total_wt',
  'product quantity': 'quantity',
  'product turnover with VAT': 'turnover_wt',
};

/** The statements that stand in the text of a prompt, with the columns of an account. */
async function statementsOf(
  { client }: TestServer,
  dialect: Dialect,
  name: string,
  given: Record<string, string>,
): Promise<string[]> {
  const said = (text = '') => (dialect === 'plain' ? text : sayInOther(text));
  const { messages } = await client.getPrompt({ name, arguments: given });
  const text = messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join();
  return [...text.matchAll(/^ *```sql\n(.*?)^ *```/gms)].map(([, sql = '']) =>
    sql.replaceAll(/<(\w[\w. ]+)>/g, (_, column) => said(columns[column])),
  );
}

describe.each(accounts)('the statements of a prompt, where names are $dialect,', (account) => {
  const own = sharedServer(account);

  test.each<[name: string, given: Record<string, string>]>([
    ['basket-analysis', { period: 'yesterday', shop: 'Webshop' }],
    ['discount-audit', {}],
    ['open-orders', { shop: 'Webshop', status: 'new,shipped' }],
    ['payment-reconciliation', {}],
    ['sales-by-hour', { period: 'last_3_days' }],
    ['stock-check', {}],
    ['product-performance', { location: 'Utrecht Oost' }],
    ['vat-summary', { location: 'Utrecht Oost' }],
  ])('run as they stand: %s %j', async (name, given) => {
    hinted.length = 0;
    const statements = await statementsOf(own(), account.dialect, name, given);
    expect(statements.length).toBeGreaterThan(0);
    for (const sql of statements) {
      const { text, isError, context } = await own().ask('query', { sql });
      expect(isError, text).toBe(false);
      expect(hinted).toEqual([]);
      const { location } = given;
      const asked = JSON.stringify(context.tables);
      if (location !== undefined) expect(asked).toContain(location);
    }
  });
});
