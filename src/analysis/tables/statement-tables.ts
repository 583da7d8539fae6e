import { amsterdamDay, amsterdamIso } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { listOrderItems } from '../../endpoints/orders.ts';
import type { TableCall, TableProvider } from '../../query/provider.ts';
import type { TableUse } from '../answer.ts';
import type { Row } from '../rows/rows.ts';
import type { TablePart } from './join-answers.ts';
import { StatementLines } from './kept-lines.ts';
import { type KnownTable, type LoaderParts, TableLoader } from './load-tables.ts';
import { type NamedTable, tableKind } from './named-tables.ts';
import { argumentsInShort, plansOf } from './table-plan.ts';

/** What the tables of one statement are made from. */
export interface StatementTablesParts extends LoaderParts {
  /** The tables that the caller may read, by name. */
  tables: ReadonlyMap<string, NamedTable>;
  /** The rows of the table `tables`. */
  describe(): readonly Row[];
}

/** Loads what a statement needs, and notes what became of it. */
export class StatementTables implements TableProvider {
  readonly tables;
  readonly nowMs: number;
  /** What was read, in the order in which it was needed. */
  readonly uses: TableUse[] = [];
  readonly warnings = new Set<string>();
  /** Those of them that are of no concern where no payments are shown. */
  readonly balance = new Set<string>();
  /** Whether a table was not read to its end: by a bound, or because a LIMIT shows no more. */
  readonly isPart = { byBound: false, byLimit: false };
  readonly #parts: StatementTablesParts;
  readonly #loader: TableLoader;
  /** Where lines are kept, and the statement asks for some. */
  readonly #lines: StatementLines | undefined;

  constructor(parts: StatementTablesParts) {
    this.#parts = parts;
    const { client, orderLines } = parts.services;
    if (orderLines && parts.call.readSinceMs !== undefined)
      this.#lines = new StatementLines(client, orderLines);
    const onAnswer = (part: TablePart) => this.#lines?.keep(part);
    this.#loader = new TableLoader({ ...parts, onAnswer });
    this.nowMs = parts.call.nowMs;
    this.tables = new Map([...parts.tables].map(([name, table]) => [name, tableKind(table)]));
  }

  async load(
    calls: readonly TableCall[],
    signal: AbortSignal,
    shown: readonly string[],
  ): Promise<(readonly Row[])[]> {
    const { tables, services } = this.#parts;
    const taken = (await this.#lines?.take(calls)) ?? { calls, rows: new Map(), kept: undefined };
    const plans = plansOf(taken.calls, (name) => {
      const table = tables.get(name);
      return table?.kind === 'tool' ? table.tool : undefined;
    });
    const { kept } = taken;
    const missing = plans.find((plan) => kept && plan.tool.tool === listOrderItems.tool);
    if (missing && kept) missing.kept = kept;
    const loading = this.#loader.load(plans, signal).finally(() => this.#lines?.save());
    // The answer will want names for these; the question goes first.
    services.reference.prefetch(shown, signal);
    const rows = new Map<string, Row[]>();
    for (const known of await loading) {
      this.#lines?.note(known.plan.tool, known.rows, known.period?.to ?? amsterdamDay(this.nowMs));
      this.#note(useOf(known), known.warnings);
      for (const warning of known.balance) this.balance.add(warning);
      if (!known.complete)
        this.isPart[known.plan.atMost === undefined ? 'byBound' : 'byLimit'] = true;
      share(rows, known);
    }
    if (kept && !missing) this.#note(useOfKept(kept, this.nowMs));
    return Promise.all(
      calls.map(async (call) => {
        const [before, read] = [taken.rows.get(call.key), rows.get(call.key)];
        return before && read ? before.concat(read) : (before ?? read ?? this.#other(call));
      }),
    );
  }

  /** The rows of what is no tool. */
  async #other({ table, args }: TableCall): Promise<readonly Row[]> {
    const { services, describe } = this.#parts;
    if (table === 'tables') {
      const rows = describe();
      const about = { table, tool: table, arguments: {}, as_of: amsterdamIso(this.nowMs) };
      this.#note({ ...about, rows: rows.length, calls: 0, complete: true });
      return rows;
    }
    if (table !== 'result') return [];
    if (typeof args.id !== 'string')
      throw new InputError("result takes the id of kept rows: FROM result('r_...').", 'id');
    const kept = await services.results.get(args.id);
    const { period, as_of, warnings = [] } = kept.context;
    const isPart = kept.rest !== undefined;
    if (isPart) this.isPart.byBound = true;
    const part = `${kept.id} holds ${kept.rows.length.toLocaleString('en-US')} rows, not all there are: counts and sums over them are not those of the whole.`;
    this.#note(
      {
        table,
        tool: kept.tool,
        arguments: kept.arguments,
        ...(period && { period }),
        as_of,
        rows: kept.rows.length,
        calls: 0,
        cached: true,
        complete: !isPart,
        result: kept.id,
      },
      isPart ? [...warnings, part] : warnings,
    );
    return kept.rows;
  }

  #note(use: TableUse, said: readonly string[] = []): void {
    this.uses.push(use);
    for (const warning of said) this.warnings.add(warning);
  }
}

/** Gives each call of a plan the rows that are its own. */
function share(rows: Map<string, Row[]>, { plan: { asks }, rows: all, counts }: KnownTable): void {
  let from = 0;
  for (const [index, { call }] of asks.entries()) {
    const to = from + (counts[index] ?? 0);
    const own = rows.get(call.key);
    const part = asks.length === 1 ? [...all] : all.slice(from, to);
    if (own) own.push(...part);
    else rows.set(call.key, part);
    from = to;
  }
}

function useOf({ plan, ...known }: KnownTable): TableUse {
  const { period, referencePeriod, rows, calls, asOf, cached, complete, resultId, leftOpen } =
    known;
  return {
    table: plan.table,
    tool: plan.tool.tool,
    arguments: plan.kept ? ordersInShort(plan.kept) : argumentsInShort(plan),
    ...(period && { period }),
    ...(referencePeriod && { reference_period: referencePeriod }),
    rows: rows.length + (plan.kept?.rows ?? 0),
    calls,
    as_of: asOf,
    ...(cached && { cached }),
    complete,
    ...(leftOpen && { left_open: leftOpen }),
    // What is kept is not in it.
    ...(resultId !== undefined && !plan.kept && { result: resultId }),
    ...(plan.kept && { kept: plan.kept }),
  };
}

/** Lines of which none had to be read. */
function useOfKept(kept: NonNullable<TableUse['kept']>, nowMs: number): TableUse {
  const { tool } = listOrderItems;
  const about = { table: tool, tool, arguments: ordersInShort(kept), as_of: amsterdamIso(nowMs) };
  return { ...about, rows: kept.rows, calls: 0, complete: true, kept };
}

function ordersInShort({ of }: NonNullable<TableUse['kept']>): JsonObject {
  return { order_id: `${of.toLocaleString('en-US')} values` };
}
