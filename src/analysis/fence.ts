import { isAboutCustomers } from '../core/column-name.ts';
import { CommerceError } from '../core/errors.ts';
import { isRecord, type JsonObject } from '../core/json.ts';
import { messagesOf, type Warning } from '../core/message.ts';
import { quoteFirst } from '../core/text.ts';
import type { Endpoint, Toolset } from '../endpoints/define.ts';
import type { Row } from './rows/rows.ts';

export const fenceMessages = messagesOf({
  not_open: ({ columns }: { columns: readonly string[] }) =>
    `Left out, as they belong to the toolset customers, which is not open here: ${quoteFirst(columns, 12)}.`,
  tool_not_open: ({ tool, toolset }: { tool: string; toolset: Toolset }) =>
    `${tool} belongs to the toolset ${toolset}, which is not open here.`,
});

/** The toolsets of a caller. Everything outside of them is refused. */
export type Fence = ReadonlySet<Toolset>;

/** @throws {CommerceError} `not_offered` for an endpoint whose toolset is not open to the caller */
export function assertOpen(
  fence: Fence,
  { tool, toolset }: Pick<Endpoint, 'tool' | 'toolset'>,
): void {
  if (!fence.has(toolset))
    throw new CommerceError('not_offered', fenceMessages.tool_not_open({ tool, toolset }));
}

/** The endpoint or analysis that rows come from. */
export interface RowSource {
  toolset: Toolset;
  /** Each row is of one customer, so that a plain `name` in it may be theirs. */
  isOfCustomer?: boolean | undefined;
}

/** Leaves out columns about customers, with a warning, where the caller lacks their toolset. */
export function withhold(
  fence: Fence,
  source: RowSource,
  { payload, rows }: { payload: JsonObject; rows?: readonly Row[] | undefined },
): { payload: JsonObject; rows?: readonly Row[] | undefined; warnings: Warning[] } {
  if (seesAll(fence, source)) return { payload, rows, warnings: [] };
  const decisions = new Map<string, boolean>();
  const isHidden = (path: string) => {
    const decision = decisions.get(path) ?? isWithheld(fence, source, path);
    decisions.set(path, decision);
    return decision;
  };
  const filterValue = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => filterValue(item, path));
    return isRecord(value) ? filterFields(value, `${path}.`) : value;
  };
  const filterFields = (record: JsonObject, prefix = ''): JsonObject => {
    const visible = Object.entries(record).filter(([name]) => !isHidden(prefix + name));
    return Object.fromEntries(
      visible.map(([name, value]) => [name, filterValue(value, prefix + name)]),
    );
  };
  const answer = { payload: filterFields(payload), rows: rows?.map((row) => filterFields(row)) };
  const columns = [...decisions.keys()].filter(isHidden);
  return { ...answer, warnings: columns.length > 0 ? [fenceMessages.not_open({ columns })] : [] };
}

/** Whether a column is about customers, and the caller lacks their toolset. */
export function isWithheld(fence: Fence, source: RowSource, path: string): boolean {
  return (
    !seesAll(fence, source) && isAboutCustomers(path.replace(/^data\./, ''), source.isOfCustomer)
  );
}

/** A tool of `customers` answers only callers who have that toolset; reference lists hold no customers. */
function seesAll(fence: Fence, { toolset }: RowSource): boolean {
  return fence.has('customers') || toolset === 'customers' || toolset === 'reference';
}
