/** The tables of a caller: each tool that answers with rows, a record or a report, and what is kept. */
import { z } from 'zod';
import type { DescribedColumn } from '../../endpoints/openapi.ts';
import type { TableKind, TypeHints } from '../../query/provider.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { Fence } from '../fence.ts';
import { missingToolset } from '../fence.ts';
import { referenceSpaces } from '../reference/reference.ts';
import { isReport } from './answer-rows.ts';
import { columnFacts } from './column-facts.ts';
import type { DefinedTable } from './definitions.ts';
import { factColumns } from './fact-rows.ts';

/** What a name in FROM stands for. */
export type NamedTable =
  | { kind: 'tool'; tool: ToolDefinition; columns: readonly DescribedColumn[] | undefined }
  /** Kept rows of an earlier answer. */
  | { kind: 'result' }
  /** The tables themselves. */
  | { kind: 'tables' }
  /** A view or a file of the business's own. */
  | { kind: 'own'; definition: DefinedTable };

/** Arguments about the form of an answer: a table is always whole, and SQL does the rest. */
const formArguments: ReadonlySet<string> = new Set([
  'all',
  'start',
  'limit',
  'fields',
  'sort',
  'top',
]);

/**
 * The tables of a caller by their names, in the order in which they are listed.
 * @param described the columns of each tool's rows, as the platform's own description has them
 */
export function namedTables(
  tools: readonly ToolDefinition[],
  described: ReadonlyMap<string, readonly DescribedColumn[]>,
  fence: Fence,
): Map<string, NamedTable> {
  const tables = new Map<string, NamedTable>();
  for (const tool of tools) {
    if (!tool.asksPlatform || 'sql' in tool.input.shape) continue;
    const columns = described
      .get(tool.tool)
      ?.filter(({ name }) => missingToolset(fence, tool, name) === undefined);
    tables.set(tool.tool, { kind: 'tool', tool, columns });
  }
  for (const { kind, endpoint } of referenceSpaces) {
    const listed = tables.get(endpoint.tool);
    if (listed) tables.set(`${kind}s`, listed);
  }
  tables.set('result', { kind: 'result' });
  tables.set('tables', { kind: 'tables' });
  return tables;
}

/** Adds what a business defined, first in the list: what is made of tables that the caller has. */
export function withOwnTables(
  tables: ReadonlyMap<string, NamedTable>,
  defined: ReadonlyMap<string, DefinedTable>,
): Map<string, NamedTable> {
  const own = [...defined].filter(([, { reads }]) =>
    reads.every((name) => tables.has(name) || defined.has(name)),
  );
  return new Map([
    ...own.map(([name, definition]): [string, NamedTable] => [name, { kind: 'own', definition }]),
    ...tables,
  ]);
}

/** A table as the engine knows it. */
export function tableKind(table: NamedTable): TableKind {
  if (table.kind === 'own') return table.definition.table;
  const common = { kind: 'calls', arguments: argumentsOf(table) } as const;
  if (table.kind === 'result') return { ...common, positional: 'id' };
  if (table.kind === 'tables') return common;
  return {
    ...common,
    columns: isReport(table.tool) ? factColumns : typesOf(table.columns ?? []),
    facts: columnFacts(table.tool),
  };
}

/** The arguments that a table takes. */
export function argumentsOf(table: NamedTable): string[] {
  if (table.kind === 'tool')
    return Object.keys(table.tool.input.shape).filter((name) => !formArguments.has(name));
  return table.kind === 'result' ? ['id'] : [];
}

/** Whether a table is nothing without an argument; an order's number may stand for its id. */
export function isNeeded(
  { input: { shape } }: Pick<ToolDefinition, 'input'>,
  name: string,
): boolean {
  if (name === 'order_id' && 'order_number' in shape) return true;
  const schema = shape[name];
  return schema instanceof z.ZodType && !schema.safeParse(undefined).success;
}

/** Whether days have to be given. */
export function needsDays({
  input: { shape },
  daysAreOptional,
}: Pick<ToolDefinition, 'input' | 'daysAreOptional'>): boolean {
  return 'period' in shape && daysAreOptional !== true && !('order_number' in shape);
}

/** DuckDB's words for what a column holds; what is nested may be anything until it came. */
const words: Readonly<Record<DescribedColumn['type'], string>> = {
  integer: 'BIGINT',
  decimal: 'DECIMAL(18,4)',
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMPTZ',
  day: 'DATE',
  nested: 'VARIANT',
};

type Fields = { [name: string]: string | Fields };

/** Types by column; dotted names become the fields of the objects that they came from. */
function typesOf(columns: readonly DescribedColumn[]): TypeHints {
  const fields: Fields = {};
  for (const { name, type } of columns) place(fields, name.split('.'), words[type]);
  return fields;
}

function place(fields: Fields, [name = '', ...rest]: string[], type: string): void {
  const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (rest.length === 0) {
    fields[name] = known ?? type;
    return;
  }
  const inner: Fields = typeof known === 'object' ? known : {};
  fields[name] = inner;
  place(inner, rest, type);
}
