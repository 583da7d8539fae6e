/** The tables of a caller: each tool that answers with rows, a record or a report, and what is kept. */
import type { DescribedColumn } from '../../endpoints/openapi.ts';
import type { ColumnFacts, TableKind } from '../../query/provider.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { type Fence, isWithheld } from '../fence.ts';
import { referenceSpaces } from '../reference/reference.ts';
import { describeTool, joins, notation, type TableDescription } from './describe-tables.ts';
import { factColumns, isReport, nest } from './table-rows.ts';

/** What a name in FROM stands for. */
export interface StatementTable {
  /** As the engine takes it. */
  kind: TableKind;
  /** As `tables` shows it. */
  describe(): TableDescription;
  /** What gives its rows; undefined for kept rows, for the tables themselves, and for what a business defined. */
  tool?: ToolDefinition;
}

/** Arguments about the form of an answer: a table is always whole, and SQL does the rest. */
const formArguments: ReadonlySet<string> = new Set('all start limit fields sort top'.split(' '));

/**
 * The tables of a caller by their names. A reference list has two, the plain one last.
 * @param described the columns of each tool's rows, as the platform's own description has them
 */
export function tablesOf(
  tools: readonly ToolDefinition[],
  described: ReadonlyMap<string, readonly DescribedColumn[]>,
  fence: Fence,
): Map<string, StatementTable> {
  const tables = new Map<string, StatementTable>();
  for (const tool of tools) {
    if (!tool.asksPlatform || 'sql' in tool.input.shape) continue;
    const columns = described.get(tool.tool)?.filter(({ name }) => !isWithheld(fence, tool, name));
    const types = columns?.map(({ name, type }): [string, string] => [name, sqlTypes[type]]) ?? [];
    const taken = Object.keys(tool.input.shape).filter((name) => !formArguments.has(name));
    const known = isReport(tool) ? factColumns : nest(Object.fromEntries(types));
    tables.set(tool.tool, {
      kind: { kind: 'calls', arguments: taken, columns: known, facts: columnFacts(tool) },
      describe: () => describeTool(tool, taken, columns, (name) => tables.has(name)),
      tool,
    });
  }
  for (const { kind, endpoint } of referenceSpaces) {
    const listed = tables.get(endpoint.tool);
    if (listed) tables.set(`${kind}s`, listed);
  }
  return tables
    .set('result', {
      kind: { kind: 'calls', arguments: ['id'], positional: 'id' },
      describe: () => ({ holds: 'kept rows of an earlier answer', arguments: "'id'", columns: '' }),
    })
    .set('tables', {
      kind: { kind: 'calls', arguments: [] },
      describe: () => ({ holds: 'this', arguments: '', columns: notation }),
    });
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
  const shopProduct = { shop_product_id: 'the shop_product_id of products' };
  const outs = Object.entries(leftOut).filter(([, { argument }]) => argument in input.shape);
  return {
    ids: { ...joins, ...shopProduct, ...(isJoined && { id: own }) },
    leftOut: Object.fromEntries(outs),
    values: knownValues,
  };
}
