/** What an answer says of the tables that it read, and what a refusal says of their cost. */
import type { Budget } from '../../client/client.ts';
import { sayStopped } from '../../client/paging/page.ts';
import { amsterdamIso } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { type JsonObject, numberIn } from '../../core/json.ts';
import type { Period } from '../../core/periods.ts';
import type { TableUse } from '../answer.ts';
import type { Row } from '../rows/rows.ts';
import { sayOverlaps, type TablePlan } from './table-plan.ts';

/** What became of the calls of a table. */
export function useOf(plan: TablePlan, rows: readonly Row[], nowMs: number): TableUse {
  const { table, tool, asks, kept } = plan;
  const answers = asks.flatMap(({ answer }) => answer ?? []);
  const contexts = answers.map(({ context }) => context);
  const period = spanOf(contexts.flatMap((it) => it.period ?? []));
  const reference = spanOf(contexts.flatMap((it) => it.reference_period ?? []));
  const calls = asks.reduce((sum, { made }) => sum + made, 0);
  const [{ left_open: leftOpen } = {}] = contexts.length === 1 ? contexts : [];
  return {
    table,
    tool: tool.tool,
    arguments: inShort(plan),
    ...(period && { period }),
    ...(reference && { reference_period: reference }),
    rows: rows.length + (kept?.use.rows ?? 0),
    calls,
    as_of: contexts.map(({ as_of }) => as_of).sort()[0] ?? amsterdamIso(nowMs),
    ...(calls === 0 && answers.length > 0 && { cached: true }),
    complete: answers.every(({ rest }) => rest === undefined),
    ...(leftOpen && { left_open: leftOpen }),
    ...(kept && { kept: kept.use }),
  };
}

/** Arguments as a reader can take them in: of many values, how many there are. */
function inShort({ asks, kept }: TablePlan): JsonObject {
  if (kept) return { order_id: `${count(kept.use.of)} values` };
  const names = new Set(asks.flatMap(({ input }) => Object.keys(input)));
  return Object.fromEntries(
    [...names].map((name) => {
      const values = [...new Set(asks.map(({ input }) => input[name]))];
      if (values.length === 1) return [name, values[0]];
      return [name, values.length > 12 ? `${count(values.length)} values` : values];
    }),
  );
}

/** From the first to the last day of several periods. */
function spanOf(periods: readonly Period[]): Period | undefined {
  const [first] = periods;
  if (first === undefined || periods.every(({ given }) => given === first.given)) return first;
  const from = periods.map((it) => it.from).reduce((a, b) => (b < a ? b : a));
  const to = periods.map((it) => it.to).reduce((a, b) => (b > a ? b : a));
  return { ...first, from, to, given: `${from}..${to}` };
}

/** What to know of a table's rows; about payments where these are shown. */
export function warningsOf(
  plan: TablePlan,
  rows: readonly Row[],
  showsPayments: boolean,
): string[] {
  const { tool, asks, atMost } = plan;
  const said = asks.flatMap(({ answer }) => {
    const { context, payload = {}, balance = [] } = answer ?? {};
    // Where a LIMIT needs no more rows, that there are more is no warning.
    const cut = atMost === undefined ? undefined : sayStopped(atMost, numberIn(payload.total));
    return (context?.warnings ?? []).filter(
      (warning) => warning !== cut && (showsPayments || !balance.includes(warning)),
    );
  });
  const unknown = asks.filter(({ answer }) => answer === undefined).length;
  if (unknown > 0)
    said.push(
      `${tool.tool}: the platform does not know ${unknown} of the ${asks.length} values asked for; they have no rows.`,
    );
  const inexact = inexactColumns(rows);
  if (inexact.length > 0)
    said.push(
      `${tool.tool}: ${inexact.slice(0, 5).join(', ')} holds whole numbers beyond 9007199254740991, whose last digits may differ from the platform's.`,
    );
  return [...said, ...sayOverlaps(plan)];
}

/** Columns of whole numbers that JSON's readers round: their last digits are not the platform's. */
function inexactColumns(rows: readonly Row[]): string[] {
  const columns = new Set<string>();
  for (const row of rows)
    for (const column in row)
      if (Number.isInteger(row[column]) && !Number.isSafeInteger(row[column])) columns.add(column);
  return [...columns];
}

/**
 * Refuses a statement that would take too many requests, as far as is known.
 * @throws InputError with the number, the time and what to do
 */
export function refuseCost(
  plans: readonly TablePlan[],
  spent: number,
  maxCalls: number,
  budget: Budget | undefined,
): void {
  const costs = plans.map((plan) => {
    return { plan, calls: plan.asks.reduce((sum, { needed }) => sum + needed, 0) };
  });
  const missing = costs.reduce((sum, { calls }) => sum + calls, 0);
  const needed = spent + missing;
  if (needed <= maxCalls) return;
  const parts = costs.sort((a, b) => b.calls - a.calls).slice(0, 4);
  const said = parts.map(({ plan, calls }) => sayCost(plan, calls)).join(', ');
  throw new InputError(
    [
      `query: this statement takes ${count(needed)} platform calls, and max_calls is ${count(maxCalls)}: ${said}.`,
      `${sayTime(missing, budget)} Nothing of it was read beyond what tells the number, and that is kept.`,
      `Narrow it (a shorter period, one shop, fewer ids in the subquery), or give max_calls: ${needed}.`,
    ].join('\n'),
    'max_calls',
  );
}

function sayCost({ tool, asks, kept }: TablePlan, calls: number): string {
  const carried = Object.keys(asks[0]?.carried ?? {}).join(' and ');
  const values = `${count(asks.length)} values${carried && ` of ${carried}`}`;
  const why = asks.length === 1 ? `${count(calls)} ${calls === 1 ? 'page' : 'pages'}` : values;
  const rest = kept
    ? `; lines of ${count(kept.use.orders)} of ${count(kept.use.of)} orders are kept`
    : '';
  return `${tool.tool} ${count(calls)} (${why}${rest})`;
}

/** How long so many requests take at the present budget, as a sentence. */
function sayTime(calls: number, budget: Budget | undefined): string {
  if (budget === undefined) return 'How long that takes is not known yet: no budget was reported.';
  const { limit, remaining, resetsInSeconds, windowSeconds, waiting } = budget;
  const beyond = calls + waiting - remaining;
  if (beyond <= 0) return 'The present rate budget has room for that.';
  const windows = Math.ceil(beyond / Math.max(1, limit));
  const seconds = resetsInSeconds + (windows - 1) * windowSeconds;
  const time = seconds < 90 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  return `At the present rate budget (${remaining} of ${limit} left) that takes about ${time}.`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
