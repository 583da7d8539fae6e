import { sayStopped } from '../../client/paging/page.ts';
import { amsterdamIso } from '../../core/calendar.ts';
import { numberIn } from '../../core/json.ts';
import type { Period } from '../../core/periods.ts';
import type { Answer } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';
import { tableRowsOf } from './answer-rows.ts';
import type { Ask, TablePlan } from './table-plan.ts';

/** What was read for a table. */
export interface TableReading {
  rows: readonly Row[];
  /** How many of the rows each call gave, in the order of the calls. */
  counts: readonly number[];
  /** The first and last day of all that was asked for, where days were. */
  period?: Period;
  /** What a comparison held them against. */
  referencePeriod?: Period;
  /** ISO 8601, of the oldest answer. */
  asOf: string;
  /** What arguments that were left out meant, where all answers say the same. */
  leftOpen?: Readonly<Record<string, string>>;
  /** Whether nothing had to be asked of the platform. */
  cached: boolean;
  /** False when the platform has rows that are not here. */
  complete: boolean;
  calls: number;
  warnings: string[];
  /** Those of the warnings that are of no concern where no payments are shown. */
  balance: readonly string[];
}

/** One of the calls of a table. */
export interface TablePart {
  ask: Ask;
  /** Undefined for a value that the platform does not know. */
  answer: Answer | undefined;
}

/** The answers to all calls of a table as one. */
export function joinAnswers(
  { tool, atMost }: TablePlan,
  parts: readonly TablePart[],
  nowMs: number,
  maxRows: number,
): TableReading {
  const answers = parts.flatMap(({ answer }) => answer ?? []);
  const missing = parts.length - answers.length;
  const contexts = answers.map(({ context }) => context);
  const period = spanOf(contexts.flatMap(({ period }) => period ?? []));
  const referencePeriod = spanOf(
    contexts.flatMap(({ reference_period: reference }) => reference ?? []),
  );
  const asOf = contexts.map(({ as_of }) => as_of).sort()[0] ?? amsterdamIso(nowMs);
  const each = parts.map(({ ask, answer }) =>
    answer ? tableRowsOf(tool, answer, ask.carried) : [],
  );
  // Rows of a single answer are not copied: they may be 50,000.
  const [only = []] = each;
  const rows = each.length === 1 ? only : each.flat();
  const [{ left_open: leftOpen } = {}] = contexts.length === 1 ? contexts : [];
  const complete = answers.every(({ rest }) => rest === undefined);
  return {
    rows,
    counts: each.map(({ length }) => length),
    ...(period && { period }),
    ...(referencePeriod && { referencePeriod }),
    asOf,
    ...(leftOpen && { leftOpen }),
    cached: answers.length > 0 && answers.every(({ calls = 1 }) => calls === 0),
    complete,
    calls: answers.reduce((sum, { calls = 1 }) => sum + calls, missing),
    balance: answers.flatMap((answer) => answer.balance ?? []),
    warnings: [
      ...new Set(answers.flatMap((answer) => ownWarnings(answer, maxRows))),
      ...(complete || atMost !== undefined ? [] : [sayRest(tool, rows.length, answers)]),
      ...(missing > 0
        ? [
            `${tool.tool}: the platform does not know ${missing} of the ${parts.length} values asked for; they have no rows.`,
          ]
        : []),
      ...sayInexact(tool, rows),
    ],
  };
}

/** What an answer says of itself; that a bound of this server cut it is said of the table. */
function ownWarnings({ context, payload }: Answer, maxRows: number): string[] {
  const cut = sayStopped(maxRows, numberIn(payload.total));
  return (context.warnings ?? []).filter((warning) => warning !== cut);
}

/** That figures over a table are not those of the whole list. */
function sayRest({ tool }: ToolDefinition, rows: number, answers: readonly Answer[]): string {
  const [only] = answers;
  const total = answers.length === 1 ? numberIn(only?.payload.total) : Number.NaN;
  const of = total > rows ? ` of ${count(total)}` : '';
  return `${tool}: ${count(rows)}${of} rows were read, not all there are: counts and sums over them are not those of the whole.`;
}

/** Whole numbers that JSON's readers round: their last digits are not the platform's. */
function sayInexact({ tool }: ToolDefinition, rows: readonly Row[]): string[] {
  const columns = new Set<string>();
  for (const row of rows) {
    for (const column in row) {
      const value = row[column];
      if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) continue;
      if (Number.isInteger(value)) columns.add(column);
    }
  }
  if (columns.size === 0) return [];
  return [
    `${tool}: ${[...columns].slice(0, 5).join(', ')} holds whole numbers beyond 9007199254740991, whose last digits may differ from the platform's.`,
  ];
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function spanOf(periods: readonly Period[]): Period | undefined {
  const [first] = periods;
  if (first === undefined) return undefined;
  if (periods.every(({ given }) => given === first.given)) return first;
  const from = periods.map((it) => it.from).sort()[0] ?? first.from;
  const to =
    periods
      .map((it) => it.to)
      .sort()
      .at(-1) ?? first.to;
  return { ...first, from, to, given: `${from}..${to}` };
}
