/** Turns answers into rows of a table, and describes the columns of these. */
import { nest } from '../../core/column-name.ts';
import type { FieldTypes } from '../../core/column-type.ts';
import { isRecord } from '../../core/json.ts';
import { plain } from '../../core/money.ts';
import { listOrders } from '../../endpoints/orders.ts';
import { getDailyClose, getPaymentReport } from '../../endpoints/reports.ts';
import type { ColumnFacts, Scalar } from '../../query/provider.ts';
import type { Answer, Fact, RowsAnswer } from '../answer.ts';
import type { TableTool, ToolDefinition } from '../define-tool.ts';
import { readFacts } from '../reference/facts.ts';
import { referenceSpaces } from '../reference/reference.ts';
import type { Row } from '../rows/rows.ts';

/** The rows of a list, of a figure, the facts of a report, or a single record. */
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

/** The rows of a tool's answer in its table. @param argumentValues are added as columns */
export function tableRowsOf(
  tool: TableTool,
  answer: Answer,
  argumentValues: Readonly<Record<string, Scalar>>,
): readonly Row[] {
  const isOfFacts = answer.kind === 'record' && answer.isReport === true;
  const { rows: all } = asRows(answer);
  const rows = isOfFacts ? dropEmptyColumns(all, factColumns(tool)) : all;
  const names = Object.keys(argumentValues);
  const isTrend = measuredReport(tool) !== undefined;
  if (!isTrend && names.length === 0) return rows;
  return rows.map((flat) => {
    const row: Row = isTrend ? nestRow(flat) : flat;
    // Facts have a column for each id, null without one.
    const filled = names.map((name) => [name, row[name] ?? argumentValues[name]]);
    return { ...argumentValues, ...row, ...Object.fromEntries(filled) };
  });
}

/** The report whose measures are columns of a table. */
export function measuredReport(tool: TableTool): string | undefined {
  return tool.kind === 'analysis' ? tool.measuresOf : undefined;
}

/** Drops columns that no fact fills, unless the report is known to have them. */
function dropEmptyColumns(rows: readonly Row[], columns: FieldTypes): readonly Row[] {
  const isUsed = (name: string) => name in columns || rows.some((row) => row[name] !== null);
  const used = Object.keys(rows[0] ?? {}).filter(isUsed);
  return rows.map((row) => Object.fromEntries(used.map((column) => [column, row[column]])));
}

/** The reference figures of a trend have dotted names too. */
function nestRow(flat: Row): Row {
  const fields = Object.entries(flat);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, isRecord(value) ? nest(value) : value]),
  );
}

const factIds = referenceSpaces
  .filter(({ kind }) => kind !== 'customer_segment')
  .map(({ idField }) => idField);

/** Reports that the document splits only by payment method (docs/platform.md#reports). */
const paymentReports: readonly string[] = [getPaymentReport.tool, getDailyClose.tool];

/** The columns of a report's table, whatever its facts are. */
export function factColumns({ tool }: Pick<ToolDefinition, 'tool'>): FieldTypes {
  const isOfPayments = paymentReports.includes(tool);
  const ids = isOfPayments ? ['provider_method_type_id'] : factIds;
  return {
    path: 'text',
    measure: 'text',
    value: 'decimal',
    split: 'text',
    ...Object.fromEntries(ids.map((id) => [id, 'integer' as const])),
    name: 'text',
    ...(!isOfPayments && { line: 'text' as const }),
  };
}

/** `path` is the place of a number in the report, `measure` the platform's name for it. */
function factRows(facts: readonly Fact[]): Row[] {
  return facts.map(({ measure: path, value, ids, split, name = null, line = null }) => {
    const steps = path.split('.');
    const measure = steps.pop();
    const idFields = factIds.map((id) => [id, ids[id] ?? null]);
    const place = { path: steps.join('.'), measure, value: plain(value), split };
    return { ...place, ...Object.fromEntries(idFields), name, line };
  });
}

/** By column, the column that its ids join with (docs/platform.md#ids). */
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

/** docs/platform.md#ids. */
export function columnFacts({ tool, input }: TableTool): ColumnFacts {
  const space = referenceSpaces.find(({ endpoint }) => endpoint.tool === tool);
  const id = space ? `${space.kind}s.id` : `${tool}.id`;
  const isJoined = Object.values(joins).includes(id);
  const leftOutHere = Object.entries(leftOut).filter(([, { argument }]) => argument in input.shape);
  return {
    ids: { ...joins, ...(isJoined && { id }) },
    leftOut: Object.fromEntries(leftOutHere),
    isOfOrders: tool === listOrders.tool,
  };
}
