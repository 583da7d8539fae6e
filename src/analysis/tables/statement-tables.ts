import { amsterdamIso } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { LoadedTable, TableProvider, TableRequest, TypeHints } from '../../query/provider.ts';
import type { TableUse } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';
import { isReport } from './answer-rows.ts';
import { columnTypes } from './columns/column-types.ts';
import { factColumns } from './fact-rows.ts';
import { createTableLoader, type FilledTable, type LoaderParts } from './load-tables.ts';
import { argumentsOf, type NamedTable } from './table-names.ts';

/** What the tables of one statement are made from. */
export interface StatementTablesParts extends LoaderParts {
  /** The tables that the caller may read, by name. */
  tables: ReadonlyMap<string, NamedTable>;
  /** The rows of the table `tables`. */
  describe(): Promise<readonly Row[]>;
}

/** The tables of one statement, and what became of them. */
export interface StatementTables extends TableProvider {
  /** What was read, in the order in which it was needed. */
  uses(): readonly TableUse[];
  warnings(): string[];
}

/** Loads what a statement names: each table once, within the requests that it may make. */
export function openStatementTables(parts: StatementTablesParts): StatementTables {
  const { services, tables, knowledge, call } = parts;
  const loader = createTableLoader(parts);
  const uses: TableUse[] = [];
  const warnings = new Set<string>();

  function note(use: TableUse, said: readonly string[] = []): void {
    uses.push(use);
    for (const warning of said) warnings.add(warning);
  }

  function fromTool(request: TableRequest, { plan, known }: FilledTable): LoadedTable {
    note(useOf(request, plan, known), known.warnings);
    return {
      columns: hintsFor(plan.tool),
      rows: known.rows,
      ...(known.resultId !== undefined && { key: known.resultId }),
    };
  }

  /** Types for what came without values; a report's columns are ours. */
  function hintsFor(tool: ToolDefinition): TypeHints {
    return isReport(tool) ? factColumns : columnTypes(knowledge.columns(tool.tool) ?? []);
  }

  async function fromResult({ name, args }: TableRequest): Promise<LoadedTable> {
    const given = args.id && 'value' in args.id ? args.id.value : undefined;
    if (typeof given !== 'string')
      throw new InputError("result takes the id of kept rows: FROM result('r_...').", 'id');
    const kept = await services.results.get(given);
    const { id, tool, rows, rest } = kept;
    const { period, as_of, warnings: said } = kept.context;
    const about = { tool, arguments: kept.arguments, ...(period && { period }), as_of };
    const read = {
      rows: rows.length,
      calls: 0,
      cached: true,
      complete: rest === undefined,
    } as const;
    note({ table: name, ...about, ...read, result: id }, said);
    return { rows, key: id };
  }

  async function fromTables({ name }: TableRequest): Promise<LoadedTable> {
    const rows = await parts.describe();
    const about = { table: name, tool: name, arguments: {}, as_of: amsterdamIso(call.nowMs) };
    note({ ...about, rows: rows.length, calls: 0, complete: true });
    return { rows };
  }

  return {
    names: () => [...tables.keys()],
    table(name) {
      const table = tables.get(name);
      if (table === undefined) return undefined;
      const kind = { arguments: argumentsOf(table) };
      return table.kind === 'result' ? { ...kind, positional: 'id' } : kind;
    },
    async load(requests, signal, shown) {
      const ofTools = requests.flatMap((request) => {
        const table = tables.get(request.name);
        return table?.kind === 'tool' ? [{ request, tool: table.tool }] : [];
      });
      const filled = new Map<TableRequest, FilledTable>();
      const loading = loader.load(ofTools, signal);
      // The answer will want names for these; the question goes first.
      services.reference.prefetch(shown, signal);
      for (const [index, table] of (await loading).entries()) {
        const request = ofTools[index]?.request;
        if (request) filled.set(request, table);
      }
      return Promise.all(
        requests.map(async (request): Promise<LoadedTable> => {
          const table = filled.get(request);
          if (table) return fromTool(request, table);
          const isResult = tables.get(request.name)?.kind === 'result';
          return isResult ? fromResult(request) : fromTables(request);
        }),
      );
    },
    uses: () => uses,
    warnings: () => [...warnings],
  };
}

function useOf(
  request: TableRequest,
  { tool, asks }: FilledTable['plan'],
  known: FilledTable['known'],
): TableUse {
  const { period, referencePeriod, rows, calls, asOf, cached, complete, resultId } = known;
  const [only] = asks;
  return {
    table: request.name,
    tool: tool.tool,
    arguments: asks.length === 1 ? (only?.input ?? {}) : argumentsInShort(request),
    ...(period && { period }),
    ...(referencePeriod && { reference_period: referencePeriod }),
    rows: rows.length,
    calls,
    as_of: asOf,
    ...(cached && { cached }),
    complete,
    ...(resultId !== undefined && { result: resultId }),
  };
}

/** Arguments as a reader can take them in: of many values, how many there are. */
function argumentsInShort({ args }: TableRequest): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, argument]) => {
      const given = 'value' in argument ? argument.value : argument.values;
      const isMany = Array.isArray(given) && given.length > 12;
      return [name, isMany ? `${given.length.toLocaleString('en-US')} values` : given];
    }),
  );
}
