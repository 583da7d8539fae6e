import { isRecord, type JsonObject } from '../core/json.ts';
import { type RowSource, toolsetOfColumn } from '../endpoints/column-toolsets.ts';
import type { Toolset } from '../endpoints/define.ts';
import type { Fence } from './fence.ts';
import type { Row } from './rows/rows.ts';

/** What is left of an answer for a caller, and what was left out of it. */
export interface Withheld {
  payload: JsonObject;
  rows?: readonly Row[];
  /** Columns by their dotted names, with the toolset that each belongs to. */
  leftOut: ReadonlyMap<string, Toolset>;
}

/** Leaves out what belongs to toolsets that the caller lacks, in rows and in single objects alike. */
export function withhold(
  fence: Fence,
  source: RowSource,
  { payload, rows }: { payload: JsonObject; rows?: readonly Row[] },
): Withheld {
  const leftOut = new Map<string, Toolset>();
  // Most callers have everything: then no row is copied.
  const { toolset } = source;
  if (fence.has('customers') || toolset === 'customers' || toolset === 'reference')
    return { payload, ...(rows && { rows }), leftOut };
  const verdicts = new Map<string, Toolset | undefined>();

  function without(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((item) => without(item, path));
    return isRecord(value) ? within(value, path) : value;
  }

  function within(record: JsonObject, prefix: string): JsonObject {
    const left: [string, unknown][] = [];
    for (const [name, value] of Object.entries(record)) {
      const path = prefix === '' ? name : `${prefix}.${name}`;
      if (!verdicts.has(path)) verdicts.set(path, missingToolset(fence, source, path));
      const missing = verdicts.get(path);
      if (missing === undefined) left.push([name, without(value, path)]);
      else leftOut.set(path, missing);
    }
    return Object.fromEntries(left);
  }

  const seen = rows?.map((row) => within(row, ''));
  return { payload: within(payload, ''), ...(seen && { rows: seen }), leftOut };
}

/** The toolset without which a caller does not see a column; undefined where they see it. */
export function missingToolset(fence: Fence, source: RowSource, path: string): Toolset | undefined {
  const toolset = toolsetOfColumn(path.replace(/^data\./, ''), source);
  // The rows' own toolset was decided when the tool was found.
  return toolset === source.toolset || fence.has(toolset) ? undefined : toolset;
}

/** What an answer says about what it lacks: nothing where it lacks nothing. */
export function sayLeftOut(leftOut: Withheld['leftOut']): string[] {
  if (leftOut.size === 0) return [];
  const names = [...leftOut.keys()];
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  const toolsets = [...new Set(leftOut.values())].join(', ');
  return [
    `Left out, as they belong to the toolset ${toolsets}, which is not open here: ${names.slice(0, maxNamed).join(', ')}${more}.`,
  ];
}

const maxNamed = 12;
