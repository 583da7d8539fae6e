import { isAboutCustomers } from '../core/column-name.ts';
import { CommerceError } from '../core/errors.ts';
import { isRecord, type JsonObject } from '../core/json.ts';
import { messagesOf, type Warning } from '../core/message.ts';
import { quoteFirst } from '../core/text.ts';
import type { Endpoint, Toolset } from '../endpoints/define.ts';
import type { Row } from './rows/rows.ts';

export const fenceMessages = messagesOf({
  /** Columns that are left out of rows. */
  not_open: ({ columns }: { columns: readonly string[] }) =>
    `Left out, as they belong to the toolset customers, which is not open here: ${quoteFirst(columns, 12)}.`,
  tool_not_open: ({ tool, toolset }: { tool: string; toolset: Toolset }) =>
    `${tool} belongs to the toolset ${toolset}, which is not open here.`,
});

/** What a caller may have. A toolset is a fence: whatever is not in here is refused. */
export type Fence = ReadonlySet<Toolset>;

/** @throws {CommerceError} `not_offered` for an endpoint whose toolset is not open to the caller */
export function assertOpen(
  open: Fence,
  { tool, toolset }: Pick<Endpoint, 'tool' | 'toolset'>,
): void {
  if (!open.has(toolset))
    throw new CommerceError('not_offered', fenceMessages.tool_not_open({ tool, toolset }));
}

/** Where a row comes from: an endpoint, or an analysis. */
export interface RowSource {
  toolset: Toolset;
  /** Each row is of one customer, so that a plain `name` in it may be theirs. */
  isOfCustomer?: boolean | undefined;
}

/** Leaves out what belongs to toolsets that the caller lacks; `warnings` say so. */
export function withhold(
  fence: Fence,
  source: RowSource,
  { payload, rows }: { payload: JsonObject; rows?: readonly Row[] | undefined },
): { payload: JsonObject; rows?: readonly Row[] | undefined; warnings: Warning[] } {
  if (seesAll(fence, source)) return { payload, rows, warnings: [] };
  const known = new Map<string, boolean>();
  const isOut = (path: string) => {
    const isKnownOut = known.get(path) ?? isWithheld(fence, source, path);
    known.set(path, isKnownOut);
    return isKnownOut;
  };
  const open = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => open(item, path));
    return isRecord(value) ? openFields(value, `${path}.`) : value;
  };
  const openFields = (record: JsonObject, prefix = ''): JsonObject => {
    const seen = Object.entries(record).filter(([name]) => !isOut(prefix + name));
    return Object.fromEntries(seen.map(([name, value]) => [name, open(value, prefix + name)]));
  };
  const opened = { payload: openFields(payload), rows: rows?.map((row) => openFields(row)) };
  const columns = [...known.keys()].filter(isOut);
  return { ...opened, warnings: columns.length > 0 ? [fenceMessages.not_open({ columns })] : [] };
}

/** Whether a caller does not see a column: what is about customers belongs to their toolset. */
export function isWithheld(fence: Fence, source: RowSource, path: string): boolean {
  return (
    !seesAll(fence, source) && isAboutCustomers(path.replace(/^data\./, ''), source.isOfCustomer)
  );
}

/** Whether nothing is withheld: the rows' own toolset was decided when the tool was found. */
function seesAll(fence: Fence, { toolset }: RowSource): boolean {
  return fence.has('customers') || toolset === 'customers' || toolset === 'reference';
}
