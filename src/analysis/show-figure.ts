import { z } from 'zod';
import {
  isCountName,
  isOfParts,
  isPercentage,
  isTurnoverName,
  totalsOfRow,
} from '../core/column-name.ts';
import { InputError } from '../core/errors.ts';
import { distinctWarnings, type Warning } from '../core/message.ts';
import type { Period } from '../core/periods.ts';
import { quoteText } from '../core/text.ts';
import { listOrders } from '../endpoints/orders.ts';
import { queryMessages } from '../query/messages.ts';
import type { AnswerColumn } from '../query/protocol.ts';
import type { TableUse } from './answer.ts';
import { defineStatement } from './define-tool.ts';
import { exportMessages } from './export-rows.ts';
import { decideFigure, type ResultColumn } from './figure/decide-figure.ts';
import { labelPayload } from './reference/reference.ts';
import type { Services } from './services.ts';
import { countEarlier } from './turnover/earlier-periods.ts';
import { compareTurnover, turnoverTrend } from './turnover/turnover.ts';

export const showFigure = defineStatement({
  kind: 'statement',
  tool: 'show_figure',
  title: 'Show a figure',
  description: `Draws what one SELECT finds: a course over time, shops side by side.
First column: the axis; days, weeks, months draw lines, names bars, largest first. A second text column makes series; every number column is drawn. One row a label (GROUP BY), one unit.
SELECT bucket, revenue.total_turnover_wt FROM turnover_trend(period := 'last_30_days')`,
  input: z.strictObject({
    sql: z.string().max(50_000).optional().describe('As in query'),
    result_id: z.string().max(200).optional().describe('Or context.result.id'),
    title: z.string().max(200).optional().describe("In the reader's language"),
    kind: z.enum(['auto', 'line', 'bars']).optional().describe('auto: by the first column'),
    unit: z.string().max(30).optional().describe('euro, percent, count or a word'),
    max_calls: z.int().min(1).max(100_000).optional().describe('As in query'),
  }),
  output: z.looseObject({}),
  async answer(services, input, call) {
    const { sql, result_id, max_calls, ...options } = input;
    const result = await services.statements.run(statementOf(sql, result_id), call, max_calls);
    const { isOrdered, limit, found, context } = result;
    const { rows } = found;
    const { as_of: asOf, tables = [], warnings: tableWarnings = [] } = context;
    const measures = new Set(rows.map(({ measure }) => measure));
    const usual = tables.find((table) => table.arguments.against === 'usual');
    // A median beside its figure is no sum. A total over several measures would mean nothing either.
    const isUsualShown =
      usual && result.columns.some(({ column = '' }) => /^reference\b/.test(column));
    const hasTotals = measures.size < 2 && !isUsualShown;
    const columns = result.columns.map((column) => {
      const meaning = meaningOf(column, tables, usual !== undefined);
      const adds = meaning.adds && (hasTotals || column.kind !== 'column');
      return { ...column, ...meaning, adds };
    });
    const { labels, warnings: unnamed } = await labelPayload(services, rows, call.signal);
    const turnoverWarnings = isTurnoverName(options.title ?? '')
      ? warnOfTotals(result.columns, services)
      : [];
    const warnings = distinctWarnings([...tableWarnings, ...turnoverWarnings, ...unnamed]);
    const complete = found.rest === undefined && tables.every((table) => table.complete);
    const period = periodOf(tables);
    const days = period && { from: period.from, to: period.to };
    const isCut = limit !== undefined && rows.length >= limit;
    const { source } = services.origin;
    const facts = { ...context, period, warnings };
    const usualOf = usual && countEarlier(usual.arguments.bucket);
    const state = { source, complete, warnings, asOf, period: days };
    const notes = { ...state, isCut: isCut || undefined, usualOf };
    const drawnFrom = { ...found, rest: complete ? undefined : {} };
    const isOfMeasures = ({ tool, arguments: args }: TableUse) =>
      tool === compareTurnover.tool && [args.measures ?? []].flat().length !== 1;
    const unshown = tables.some(isOfMeasures) ? 'measure' : undefined;
    const decided = decideFigure({ ...options, columns, rows, labels, isOrdered, unshown, notes });
    if ('figure' in decided)
      return { kind: 'figure', figure: decided.figure, drawnFrom, context: facts };
    return { kind: 'rows', ...drawnFrom, refusal: decided.refusal, context: facts };
  },
});

function meaningOf(
  { kind, column = '', tables: sources = [] }: AnswerColumn,
  tables: readonly TableUse[],
  isUsual: boolean,
): Pick<ResultColumn, 'adds' | 'isEarlier' | 'unit'> {
  // The columns of these two tools add up over rows, except percentages and averages.
  const isOfTurnover = tables.some(
    ({ table, tool }) =>
      sources.includes(table) && [compareTurnover.tool, turnoverTrend.tool].includes(tool),
  );
  // Usual figures are medians, and differences from them do not add up either.
  const noSum = isUsual && /^(low|high|of|rank|reference|difference)\b/.test(column);
  const isMeasure = kind === 'column' && isOfTurnover && !isOfParts(column) && !noSum;
  const adds = kind === 'sum' || kind === 'count' || isMeasure;
  const isEarlier = sources.includes(turnoverTrend.tool) && column.startsWith('reference.');
  if (kind === 'percent' || isPercentage(column)) return { adds, isEarlier, unit: 'percent' };
  const isCount = /^(count|distinct)$/.test(kind) || isCountName(column);
  return { adds, isEarlier, unit: isCount ? 'count' : undefined };
}

/** Warns of summed order totals under a title of turnover. */
function warnOfTotals(
  columns: readonly AnswerColumn[],
  { survey }: Pick<Services, 'survey'>,
): Warning[] {
  const totals = totalsOfRow(Object.keys(survey.columnsOf(listOrders.tool).columns));
  return columns.flatMap(({ kind, column = '', tables = [] }): Warning[] => {
    const table = tables.find((name) => name === listOrders.tool);
    if (kind !== 'sum' || table === undefined || !totals.includes(column)) return [];
    return [queryMessages.totals_as_turnover({ table, column })];
  });
}

function statementOf(sql?: string, result_id?: string): string {
  const hasBoth = sql !== undefined;
  if (hasBoth === (result_id !== undefined))
    throw new InputError(exportMessages.statement_or_result({ hasBoth }));
  return sql ?? `SELECT * FROM result(${quoteText(result_id ?? '')})`;
}

function periodOf(tables: readonly TableUse[]): Period | undefined {
  const [first, ...others] = tables.flatMap(({ period }) => period ?? []);
  const isShared = others.every(({ from, to }) => from === first?.from && to === first.to);
  return isShared ? first : undefined;
}
