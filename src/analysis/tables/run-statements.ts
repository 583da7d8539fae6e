import type { CommerceError, ErrorCode } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { DescribedColumn } from '../../endpoints/openapi.ts';
import type { SqlEngine } from '../../query/engine.ts';
import { QueryError, type QueryErrorCode } from '../../query/errors.ts';
import type { Output } from '../../query/output-columns.ts';
import type { Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { ExplainedError } from '../errors/explain.ts';
import type { Services } from '../services.ts';
import type { StatementResult, Statements } from '../statements.ts';
import type { Definitions } from './definitions.ts';
import { type Detail, describeTables } from './describe-tables.ts';
import { asksForLines } from './kept-lines.ts';
import type { TableMemory } from './load-tables.ts';
import { namedTables, withOwnTables } from './named-tables.ts';
import { StatementTables } from './statement-tables.ts';

/** What all callers' statements share. */
export interface StatementParts {
  /** Started by the first statement. */
  engine(): Promise<SqlEngine>;
  memory: TableMemory;
  /** The columns of each tool's rows, as the platform's own description has them. */
  described: ReadonlyMap<string, readonly DescribedColumn[]>;
  readArguments(tool: ToolDefinition, given: JsonObject): JsonObject;
  /** Most requests that a statement may need unless it says otherwise. */
  maxCalls: number;
  /** What the business defined, where it did. */
  definitions(): Promise<Definitions | undefined>;
}

/** One caller's way to run statements. */
export interface StatementScope {
  /** The services of that caller. */
  services: Omit<Services, 'statements'>;
  /** The tools that the caller may use. */
  tools: readonly ToolDefinition[];
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
  let ofTools: ReturnType<typeof namedTables> | undefined;

  async function known() {
    const defined = await parts.definitions();
    ofTools ??= namedTables(scope.tools, parts.described, scope.services.fence);
    const tables = defined ? withOwnTables(ofTools, defined.tables) : ofTools;
    return { tables, problems: defined?.problems ?? [] };
  }

  const keptDaysOf = async () => services.orderLines?.keptDays();

  async function runOnce(
    sql: string,
    maxCalls: number,
    detail: Detail,
    call: Call,
  ): Promise<StatementResult> {
    const { tables, problems } = await known();
    const keptDays = /\btables\b/i.test(sql) ? await keptDaysOf() : undefined;
    const describe = () => describeTables(tables, detail, problems, keptDays);
    const { memory, readArguments } = parts;
    const shared = { memory, readArguments, services, tables, caller };
    const isOfLines = services.orderLines !== undefined && asksForLines(sql, tables);
    const calling = isOfLines ? { ...call, readSinceMs: call.nowMs } : call;
    const provider = new StatementTables({ ...shared, maxCalls, call: calling, describe });
    const engine = await parts.engine();
    const signal = call.signal ?? new AbortController().signal;
    const result = await engine.run({ sql, caller, provider, maxRows, signal });
    const { byBound, byLimit } = provider.isPart;
    // A LIMIT that the answer itself has is what was asked for; one within a sum is not.
    const isOverPart = byLimit && !showsRows(result.output);
    return {
      columns: result.columns,
      rows: result.rows,
      complete: !result.more && !byBound && !isOverPart,
      isOrdered: result.isOrdered,
      output: result.output,
      tables: provider.uses,
      warnings: [
        ...(isOverPart
          ? [
              'A LIMIT inside the statement reads a list in part: sums and counts are of those rows alone. Leave it out there to have the whole.',
            ]
          : []),
        ...[...provider.warnings].filter((it) => showsPayments(sql) || !provider.balance.has(it)),
        ...result.hints,
      ],
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
    async tables() {
      const { tables, problems } = await known();
      return describeTables(tables, 'short', problems, await keptDaysOf());
    },
  };
  const services: Services = { ...scope.services, statements };
  return statements;
}

/** Whether a statement may show payments: it names them, or does not choose among the facts of reports. */
function showsPayments(sql: string): boolean {
  return /payment|direct_paid|balance/i.test(sql) || !/\b(path|measure)\b/i.test(sql);
}

/** Whether an answer is the first rows of a table as they are. */
function showsRows({ limit, columns }: Output): boolean {
  return limit !== undefined && columns.every(({ kind }) => kind === 'column' || kind === 'other');
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
