import type { CommerceError, ErrorCode } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { QueryEngine } from '../../query/engine.ts';
import { QueryError, type QueryErrorCode } from '../../query/errors.ts';
import type { Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { ExplainedError } from '../errors/explain.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import type { StatementResult, Statements } from '../statements.ts';
import { type ColumnKnowledge, knowledgeWithin } from './columns/column-knowledge.ts';
import { type Detail, describeTables } from './describe-tables.ts';
import type { Explorer } from './explore.ts';
import { openStatementTables } from './statement-tables.ts';
import type { TableMemory } from './table-memory.ts';
import { namedTables } from './table-names.ts';

/** What all callers' statements share. */
export interface StatementParts {
  /** Started by the first statement. */
  engine(): Promise<QueryEngine>;
  memory: TableMemory;
  knowledge: ColumnKnowledge;
  explorer: Explorer;
  readArguments(tool: ToolDefinition, given: JsonObject): JsonObject;
  /** Most requests that a statement may need unless it says otherwise. */
  maxCalls: number;
}

/** One caller's way to run statements. */
export interface StatementScope {
  /** The services of that caller. */
  services: Omit<Services, 'statements'>;
  /** The tools that the caller may use, as they are now. */
  tools(): readonly ToolDefinition[];
  /** Takes a list as paged once an answer has shown that it is. */
  learnPaging(tool: string, maxLimit: number): void;
  /** Tells callers apart. */
  caller: string;
}

/** Most rows of a statement's answer. */
const maxRows = 100_000;

/** A look at all tables that is larger than this is given in short. */
const maxLook = 12_000;

/** Runs the statements of one caller. */
export function createStatements(parts: StatementParts, scope: StatementScope): Statements {
  const { caller } = scope;

  const known = () => knowledgeWithin(parts.knowledge, scope.services.fence, scope.tools());

  async function describe(detail: Detail, call: Call): Promise<Row[]> {
    const tables = namedTables(scope.tools());
    const tools = [...tables.values()].flatMap((table) =>
      table.kind === 'tool' ? [table.tool] : [],
    );
    await parts.explorer.explore(services, [...new Set(tools)], call);
    const { explorer } = parts;
    return describeTables(tables, { knowledge: known(), refusal: explorer.refusal }, detail);
  }

  async function runOnce(
    sql: string,
    maxCalls: number,
    detail: Detail,
    call: Call,
  ): Promise<StatementResult> {
    const provider = openStatementTables({
      ...parts,
      knowledge: known(),
      services,
      tables: namedTables(scope.tools()),
      caller,
      maxCalls,
      call,
      learnPaging(name, maxLimit) {
        scope.learnPaging(name, maxLimit);
        return scope.tools().find(({ tool }) => tool === name);
      },
      describe: () => describe(detail, call),
    });
    const engine = await parts.engine();
    const signal = call.signal ?? new AbortController().signal;
    const { columns, rows, more, isOrdered, output } = await engine.run({
      sql,
      caller,
      provider,
      maxRows,
      signal,
    });
    return {
      columns,
      rows,
      complete: !more,
      isOrdered,
      output,
      tables: provider.uses(),
      warnings: provider.warnings(),
    };
  }

  const statements: Statements = {
    async run(sql, maxCalls = parts.maxCalls, call) {
      try {
        const result = await runOnce(sql, maxCalls, 'full', call);
        const isLook = result.tables.some(({ table }) => table === 'tables');
        if (!isLook || JSON.stringify(result.rows).length <= maxLook) return result;
        return await runOnce(sql, maxCalls, 'short', call);
      } catch (error) {
        throw error instanceof QueryError ? asCommerceError(error) : error;
      }
    },
    tables: (call) => describe('short', call),
  };
  const services: Services = { ...scope.services, statements };
  return statements;
}

const codes: Partial<Record<QueryErrorCode, ErrorCode>> = {
  out_of_memory: 'too_large',
  output_too_large: 'too_large',
  out_of_time: 'timeout',
  overloaded: 'overloaded',
  cancelled: 'cancelled',
  engine_failed: 'upstream_failed',
};

function asCommerceError(error: QueryError): CommerceError {
  return new ExplainedError(codes[error.code] ?? 'bad_input', `query: ${error.message}`, {
    cause: error,
  });
}
