/** Answers as rows of a table: a list's own, a report's facts, or the one record; and what is known of their columns. */
import { nest } from '../../core/column-name.ts';
import type { FieldTypes } from '../../core/column-type.ts';
import { isRecord } from '../../core/json.ts';
import { plain } from '../../core/money.ts';
import { givesRows } from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import { getDailyClose, getPaymentReport } from '../../endpoints/reports.ts';
import type { ColumnFacts, Scalar } from '../../query/provider.ts';
import type { Answer, Fact, RowsAnswer } from '../answer.ts';
import type { TableTool, ToolDefinition } from '../define-tool.ts';
import { readFacts } from '../reference/facts.ts';
import { referenceSpaces } from '../reference/reference.ts';
import type { Row } from '../rows/rows.ts';

/** An answer as rows: a list's own, those that a figure is drawn from, a report's facts, or the one record. */
export function asRows(answer: Answer): RowsAnswer {
  if (answer.kind === 'rows') return answer;
  if (answer.kind === 'figure') {
    const { figure: _, drawnFrom, ...others } = answer;
    return { ...others, kind: 'rows', ...drawnFrom };
  }
  const { payload, isReport, ...others } = answer;
  const record = isRecord(payload.data) ? payload.data : payload;
  const rows = isReport ? factRows(readFacts(payload)) : [record];
  return { ...others, kind: 'rows', payload: {}, rows, noun: 'values' };
}

/** The rows of a tool's answer as a table has them, with the values of the arguments that they were asked by. */
export function tableRowsOf(
  tool: TableTool,
  answer: Answer,
  carried: Readonly<Record<string, Scalar>>,
): readonly Row[] {
  const isOfFacts = answer.kind === 'record' && answer.isReport === true;
  const { rows: all } = asRows(answer);
  const rows = isOfFacts ? withoutUnused(all, factColumns(tool)) : all;
  const names = Object.keys(carried);
  const isTrend = measuredReport(tool) !== undefined;
  if (!isTrend && names.length === 0) return rows;
  return rows.map((flat) => {
    const row: Row = isTrend ? nestRow(flat) : flat;
    // A report's facts have columns for ids, also where none of them has one.
    const filled = names.map((name) => [name, row[name] ?? carried[name]]);
    return { ...carried, ...row, ...Object.fromEntries(filled) };
  });
}

/** The report whose measures are columns of a table. */
export function measuredReport(tool: TableTool): string | undefined {
  return tool.kind === 'analysis' ? tool.measuresOf : undefined;
}

/** Facts without the columns that none of them fills, but for those that are known of their report. */
function withoutUnused(rows: readonly Row[], known: FieldTypes): readonly Row[] {
  const isUsed = (column: string) => column in known || rows.some((row) => row[column] !== null);
  const used = Object.keys(rows[0] ?? {}).filter(isUsed);
  return rows.map((row) => Object.fromEntries(used.map((column) => [column, row[column]])));
}

/** The figures of a trend's reference have dots in their names, too. */
function nestRow(flat: Row): Row {
  const fields = Object.entries(flat);
  return Object.fromEntries(fields.map(([name, it]) => [name, isRecord(it) ? nest(it) : it]));
}

/** Whether a tool's answer is a report, which is read as facts. */
export function isReport(tool: Pick<ToolDefinition, 'toolset' | 'output'>): boolean {
  return tool.toolset === 'reports' && !givesRows(tool);
}

const factIds = referenceSpaces
  .filter(({ kind }) => kind !== 'customer_segment')
  .map(({ idField }) => idField);

/** The ids of reports that are split by no others, as far as the document says (docs/platform.md#reports). */
const idsOfPayments = ['provider_method_type_id'];
const idsOf: Readonly<Record<string, readonly string[]>> = {
  [getPaymentReport.tool]: idsOfPayments,
  [getDailyClose.tool]: idsOfPayments,
};

/** Columns of a report as a table, where a row is one fact: those that it has whatever its figures are. */
export function factColumns({ tool }: Pick<ToolDefinition, 'tool'>): FieldTypes {
  const ids = idsOf[tool] ?? factIds;
  return {
    path: 'text',
    measure: 'text',
    value: 'decimal',
    split: 'text',
    ...Object.fromEntries(ids.map((id) => [id, 'integer' as const])),
    name: 'text',
    ...(tool in idsOf ? {} : { line: 'text' as const }),
  };
}

/**
 * A report's facts: where a number is (`path`), the platform's own name for it (`measure`), the
 * breakdown that it belongs to (`split`) and the ids above it. `line` tells numbers apart that no id does.
 */
function factRows(facts: readonly Fact[]): Row[] {
  return facts.map(({ measure: path, value, ids, split, name = null, line = null }) => {
    const steps = path.split('.');
    const measure = steps.pop();
    const idFields = factIds.map((id) => [id, ids[id] ?? null]);
    const place = { path: steps.join('.'), measure, value: plain(value), split };
    return { ...place, ...Object.fromEntries(idFields), name, line };
  });
}

/** Where ids join, by the names of their columns (docs/platform.md#ids). */
export const joins: Readonly<Record<string, string>> = {
  ...Object.fromEntries(referenceSpaces.map(({ kind, idField }) => [idField, `${kind}s.id`])),
  provider_method_type_id: 'payment_methods.provider_method_type_id',
  relation_data_id: 'search_customers.id',
  customer_id: 'search_customers.id',
  order_id: 'list_orders.id',
  product_id: 'search_products.id',
  shop_product_id: 'the shop_product_id of products',
};

/** Rows that the platform leaves out unless an argument asks for them. */
const leftOut: ColumnFacts['leftOut'] = {
  is_internal: { condition: 'is_internal = 1', argument: 'is_internal' },
  discount_value_wt: { condition: 'discount_value_wt < 0', argument: 'include_negative' },
};

/** What the platform's documentation says of a tool's columns (docs/platform.md#ids). */
export function columnFacts({ tool, input }: TableTool): ColumnFacts {
  const space = referenceSpaces.find(({ endpoint }) => endpoint.tool === tool);
  const id = space ? `${space.kind}s.id` : `${tool}.id`;
  const isJoined = Object.values(joins).includes(id);
  const outs = Object.entries(leftOut).filter(([, { argument }]) => argument in input.shape);
  return {
    ids: { ...joins, ...(isJoined && { id }) },
    leftOut: Object.fromEntries(outs),
    isOfOrders: tool === listOrders.tool,
  };
}
