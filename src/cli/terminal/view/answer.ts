import { z } from 'zod';
import type { TableUse } from '../../../analysis/answer.ts';
import type { Labels } from '../../../analysis/reference/labels.ts';
import type { ColumnProfile } from '../../../analysis/rows/column-profile.ts';
import type { Row } from '../../../analysis/rows/rows.ts';
import { isRecord, type JsonObject, numberIn } from '../../../core/json.ts';
import { neutralise } from '../../../core/text.ts';
import { describeColumns } from '../../../mcp/answers/column-profiles.ts';
import { tablesLine } from '../../../mcp/answers/tables-read.ts';
import { paint } from '../paint.ts';
import { wrap } from '../wrap.ts';
import { viewObject } from './object.ts';
import { sayRest, type Unshown } from './rest.ts';
import { viewRows } from './rows.ts';

/** An answer of a tool, and what is needed to show it to a person. */
export interface Viewed extends Pick<Unshown, 'tool' | 'input' | 'flags' | 'isPaged'> {
  /** Whether the tool takes `fields`. */
  takesFields: boolean;
  structured: JsonObject;
  /** The line that says what the answer is. */
  headline: string;
  /** Cells of a line of the terminal. */
  width: number;
  /** Draws rows that are all there, beneath their table. */
  draw?: (rows: readonly Row[], labels: Labels) => string[];
}

/** More rows than this scroll out of sight; a `limit` that was asked for is shown whole. */
const maxRows = 50;

const contextSchema = z.looseObject({
  labels: z.record(z.string(), z.record(z.string(), z.string())).default({}),
  complete: z.boolean().default(true),
  next: z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) }).optional(),
  result: z
    .looseObject({
      rows: z.number(),
      columns: z.custom<ColumnProfile[]>(Array.isArray).optional(),
    })
    .optional(),
  tables: z.custom<TableUse[]>(Array.isArray).default([]),
  warnings: z.array(z.string()).default([]),
});

/** The lines that a person reads in a terminal: what it is, rows or values, what to know, the rest. */
export function viewAnswer(viewed: Viewed): string[] {
  const { structured, headline, width, input } = viewed;
  const { context: given, ...payload } = structured;
  const context = contextSchema.parse(given);
  const { labels, result, tables, warnings } = context;
  const rows = Array.isArray(payload.data) ? payload.data.filter(isRecord) : undefined;
  const shown = input.limit === undefined ? rows?.slice(0, maxRows) : rows;
  const profile = describeColumns(telling(result?.columns ?? []), labels);
  const noRoom = viewed.takesFields ? 'No room for (fields=id,... chooses columns)' : 'No room for';
  return [
    ...wrap(headline, width).map((line) => paint('dim', line)),
    ...refusalLines(payload.refusal, width),
    '',
    ...(shown === undefined
      ? viewObject(payload, labels, width)
      : viewRows(shown, labels, width, noRoom)),
    ...drawing(),
    ...(profile.length > 0
      ? ['', paint('bold', `Over all ${result?.rows.toLocaleString('en-US')} rows`)]
      : []),
    ...profile.flatMap((line) => hanging(line, width)),
    ...(shown === undefined ? [] : restLines(shown.length, rows?.length ?? 0)),
    ...(tables.length === 0 ? [] : ['', ...wrap(tablesLine(withoutResults(tables)), width)]),
    ...warnings.flatMap((warning) =>
      wrap(`Warning: ${neutralise(warning)}`, width).map((line) => paint('yellow', line)),
    ),
  ];

  function drawing(): string[] {
    const isWhole = context.complete && shown !== undefined && shown.length === rows?.length;
    const lines = isWhole ? (viewed.draw?.(shown, labels) ?? []) : [];
    return lines.length === 0 ? [] : ['', ...lines];
  }

  function restLines(count: number, came: number): string[] {
    const total = result?.rows ?? Math.max(came, numberIn(payload.total) || 0);
    const isComplete = context.complete;
    const text = sayRest({ ...viewed, shown: count, came, total, isComplete, next: context.next });
    // Not broken: it holds a command to copy.
    return text === undefined ? [] : ['', text];
  }
}

/** Why rows stand here and not what was asked for. */
function refusalLines(refusal: unknown, width: number): string[] {
  if (typeof refusal !== 'string') return [];
  return wrap(neutralise(refusal), width).map((line) => paint('yellow', line));
}

/** Without the columns of which only is known that their values differ. */
function telling(columns: readonly ColumnProfile[]): ColumnProfile[] {
  return columns.filter(
    ({ sum, min, values }) => sum !== undefined || min !== undefined || values !== undefined,
  );
}

/** What was kept in a process that ends with its answer can be read by nobody. */
function withoutResults(tables: readonly TableUse[]): TableUse[] {
  return tables.map(({ result: _, ...table }) => table);
}

function hanging(line: string, width: number): string[] {
  return wrap(line, width - 4).map((part, index) => (index === 0 ? `  ${part}` : `    ${part}`));
}
