/**
 * The API document leaves most names open (docs/platform.md#what-is-not-documented). No text of ours may name a column,
 * path or measure by a name that the sandbox alone has.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isRecord } from '../../src/core/json.ts';
import { documentedColumns } from '../../src/endpoints/define.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { sandboxAt } from '../server-over.ts';

/** Usual words by which names are understood, and what is asked of the embedded sandbox alone. */
const spoken =
  /^src\/(sandbox\/|core\/column-name\.ts|analysis\/tables\/table-rows\.ts|cli\/commands\/demo\.json)/;

/** Measures that tools of ours understand in any account, and a name of OAuth. */
const ours = ['turnover_wt', 'order_count', 'client_id'];

/** The names in the schemas of a description. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isRecord(value)) return [];
  const own = isRecord(value.properties) ? Object.keys(value.properties) : [];
  return [...own, ...Object.values(value).flatMap(namesIn)];
}

test('no text of ours names what the sandbox names and the API document does not', async () => {
  const { baseUrl } = await sandboxAt();
  const described: unknown = await (await fetch(`${baseUrl}/openapi.json`)).json();
  const rules = readFileSync('docs/platform.md', 'utf8').match(/\w+_\w+/g) ?? [];
  const offered = endpoints.flatMap(({ input, output }) => {
    return [...Object.keys(input.shape), ...Object.keys(documentedColumns(output))];
  });
  const known = new Set([...rules, ...offered, ...ours]);
  const isKnown = (name: string) => known.has(name) || known.has(name.replace(/_(wt|ex)$/, ''));
  // A single word may be English.
  const names = new Set(namesIn(described).filter((it) => /^\w+_\w+$/.test(it) && !isKnown(it)));
  expect([...names]).toEqual(expect.arrayContaining(['total_wt', 'date_created', 'shop_totals']));
  const name = new RegExp(`\\b(${[...names].join('|')})\\b`);

  const folders = ['src', 'briefs', 'prompts', 'definitions'];
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  );
  const naming = files
    .filter((file) => /\.(ts|txt|html|json|md|sql)$/.test(file) && !spoken.test(file))
    .flatMap((file) => {
      const lines = readFileSync(file, 'utf8').split('\n');
      const said = lines.filter((line) => !/^\s*(\/?\*|\/\/)/.test(line) && name.test(line));
      return said.map((line) => `${file}: ${line.trim().slice(0, 200)}`);
    });
  expect(naming).toEqual([]);
});
