/** The tables of a caller: each tool that answers with rows, a record or a report, and what is kept. */

import { z } from 'zod';
import { fieldOf } from '../../core/column-name.ts';
import { sentencesFor } from '../../core/sentence.ts';
import { listFirst, quote } from '../../core/text.ts';
import type { DescribedColumn } from '../../endpoints/openapi.ts';
import type { ColumnFacts, TableKind } from '../../query/provider.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { type Fence, isWithheld } from '../fence.ts';
import { referenceSpaces } from '../reference/reference.ts';
import { factColumns, isReport, nest } from './table-rows.ts';

/** What a name in FROM means. */
export interface StatementTable {
  /** As the engine takes it. */
  kind: TableKind;
  /**
   * As `tables` shows it: arguments as `period*; status (...)`, a star where they have to be given,
   * columns as `id integer, shop_id integer = shops.id`.
   */
  describe(): Record<'holds' | 'arguments' | 'columns', string>;
  /** What gives its rows; undefined for kept rows, for the tables themselves, and for what a business defined. */
  tool?: ToolDefinition;
  /** The tables that it is made from: a caller who lacks one of them does not have it. */
  reads?: readonly string[];
}

/** Arguments about the form of an answer: a table is always whole, and SQL does the rest. */
const formArguments: ReadonlySet<string> = new Set(
  'all start limit fields sort top lines prices'.split(' '),
);

/** The tables of a caller by their names, with what is described of them; a reference list has two, the plain one last. */
export function tablesOf(
  tools: readonly ToolDefinition[],
  described: ReadonlyMap<string, readonly DescribedColumn[]>,
  fence: Fence,
): Map<string, StatementTable> {
  const tables = new Map<string, StatementTable>();
  const isTable = (name: string) => tables.has(name);
  for (const tool of tools) {
    if (!tool.asksPlatform || 'sql' in tool.input.shape) continue;
    const columns = described.get(tool.tool)?.filter(({ name }) => !isWithheld(fence, tool, name));
    const types = columns?.map(({ name, type }) => [name, sqlTypes[type]] as const) ?? [];
    const known = isReport(tool) ? factColumns : nest(Object.fromEntries(types));
    const taken = Object.keys(tool.input.shape).filter((name) => !formArguments.has(name));
    tables.set(tool.tool, {
      kind: { kind: 'calls', arguments: taken, columns: known, facts: columnFacts(tool) },
      describe: () => ({
        holds: sentencesFor(tool.description, isTable),
        arguments: sayArguments(tool, taken),
        columns: isReport(tool)
          ? ofReports
          : listColumns(columns?.map((column) => sayColumn(column, tool, isTable))),
      }),
      tool,
    });
  }
  for (const { kind, endpoint } of referenceSpaces) {
    const listed = tables.get(endpoint.tool);
    if (listed) tables.set(`${kind}s`, listed);
  }
  const keptRows = { holds: 'kept rows of an earlier answer', arguments: "'id'", columns: '' };
  const itself = { holds: 'this', arguments: '', columns: notation };
  return tables
    .set('result', { kind: { kind: 'calls', arguments: ['id'] }, describe: () => keptRows })
    .set('tables', { kind: { kind: 'calls', arguments: [] }, describe: () => itself });
}

/** DuckDB's words for what a column holds; what is nested may be anything until it came. */
const sqlTypes: Readonly<Record<DescribedColumn['type'], string>> = {
  integer: 'BIGINT',
  decimal: 'DECIMAL(18,4)',
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMPTZ',
  day: 'DATE',
  nested: 'VARIANT',
};

/** How the columns are written. */
const notation =
  'decimal: exact; timestamp: Amsterdam time; nested: reached by dots; =: what it joins with';

const ofReports =
  'path, measure, value decimal, split {total|shop|shop, turnover_group|...}, shop_id, location_id, ... (null where none), name, line';

/** Where ids join, by the names of their columns (docs/platform.md#ids). */
const joins: Readonly<Record<string, string>> = {
  ...Object.fromEntries(referenceSpaces.map(({ kind, idField }) => [idField, `${kind}s.id`])),
  provider_method_type_id: 'payment_methods.provider_method_type_id',
  relation_data_id: 'search_customers.id',
  customer_id: 'search_customers.id',
  order_id: 'list_orders.id',
  product_id: 'search_products.id',
  shop_product_id: 'the shop_product_id of products',
};

/** Rows that the platform leaves out unless an argument asks for them. */
const leftOut: ColumnFacts['leftOut'] = {
  is_internal: { condition: 'is_internal = 1', argument: 'is_internal' },
  discount_value_wt: { condition: 'discount_value_wt < 0', argument: 'include_negative' },
};

/** What the platform's documentation says of a tool's columns (docs/platform.md#ids). */
function columnFacts({ tool, input, knownValues = {} }: ToolDefinition): ColumnFacts {
  const space = referenceSpaces.find(({ endpoint }) => endpoint.tool === tool);
  const own = space ? `${space.kind}s.id` : `${tool}.id`;
  const isJoined = Object.values(joins).includes(own);
  const outs = Object.entries(leftOut).filter(([, { argument }]) => argument in input.shape);
  return {
    ids: { ...joins, ...(isJoined && { id: own }) },
    leftOut: Object.fromEntries(outs),
    values: knownValues,
  };
}

/** Columns in a line, as many as one look takes. */
export function listColumns(said: readonly string[] = ['SELECT * ... LIMIT 3 shows them']): string {
  return listFirst(said, 60);
}

/** The arguments of a table; period says what from and to do. */
function sayArguments(tool: ToolDefinition, taken: readonly string[]): string {
  const { input, pathId, daysAreOptional } = tool;
  const needed = pathId ?? (daysAreOptional ? undefined : 'period');
  const said = taken.filter((name) => !(taken.includes('period') && /^(from|to)$/.test(name)));
  const texts = said.map((name) => {
    const schema = z.instanceof(z.ZodType).parse(input.shape[name]);
    const isNeeded = name === needed || !schema.safeParse(undefined).success;
    return `${name}${isNeeded ? '*' : ''}${schema.description ? ` (${schema.description})` : ''}`;
  });
  return texts.join('; ');
}

/** What the platform's documentation says of columns, by their names. */
const meanings = new Map([
  ['product_id', 'not the shop_product_id'],
  ['shop_product_id', 'not the product_id'],
  ['order_number', 'for people, never an id'],
  ['product_price_type_id', '1 is the sale price, others are cost or purchase prices'],
  ['type_alias', 'the stable key'],
  ['stock', 'at the location_id asked for, else of all together'],
]);

/** Which side of VAT an amount is, by the end of its name (docs/platform.md#money). */
const vatSides: Readonly<Record<string, string>> = { _wt: ' incl. VAT', _ex: ' excl. VAT' };

function sayColumn(
  { name, type }: DescribedColumn,
  { knownValues = {} }: ToolDefinition,
  isTable: (name: string) => boolean,
): string {
  const own = fieldOf(name);
  const target = Object.hasOwn(joins, own) ? (joins[own] ?? '') : '';
  const values = Object.hasOwn(knownValues, own) ? knownValues[own] : undefined;
  return [
    `${quote(name, 64)} ${type}${vatSides[own.slice(-3)] ?? ''}`,
    ...(isTable(target.replace(/\..*/, '')) ? [`= ${target}`] : []),
    ...(meanings.has(own) ? [`(${meanings.get(own)})`] : []),
    ...(values ? [`{${values.join('|')}}`] : []),
  ].join(' ');
}
