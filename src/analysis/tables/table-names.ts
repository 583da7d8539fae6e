import type { ToolDefinition } from '../define-tool.ts';
import { referenceSpaces } from '../reference/reference.ts';
import { tableArguments } from './asks.ts';

/** What a name in FROM stands for. */
export type NamedTable =
  | { kind: 'tool'; tool: ToolDefinition }
  /** Kept rows of an earlier answer. */
  | { kind: 'result' }
  /** The tables themselves. */
  | { kind: 'tables' };

/** The tables of a caller by their names, in the order in which they are listed. */
export function namedTables(tools: readonly ToolDefinition[]): Map<string, NamedTable> {
  const tables = new Map<string, NamedTable>();
  for (const tool of tools)
    if (tool.asksPlatform && !('sql' in tool.input.shape))
      tables.set(tool.tool, { kind: 'tool', tool });
  for (const { kind, endpoint } of referenceSpaces) {
    const listed = tables.get(endpoint.tool);
    if (listed) tables.set(`${kind}s`, listed);
  }
  tables.set('result', { kind: 'result' });
  tables.set('tables', { kind: 'tables' });
  return tables;
}

/** The arguments that a table takes. */
export function argumentsOf(table: NamedTable): readonly string[] {
  if (table.kind === 'tool') return tableArguments(table.tool);
  return table.kind === 'result' ? ['id'] : [];
}
