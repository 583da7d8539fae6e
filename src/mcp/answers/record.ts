/** A record or a report as text: a line for each value, objects indented, lists as tables. */
import type { FinishedContext } from '../../analysis/answer.ts';
import type { Labels } from '../../analysis/reference/reference.ts';
import { type Row, readColumns } from '../../analysis/rows/rows.ts';
import { fieldOf, isIdentifier } from '../../core/column-name.ts';
import { isEmptyCell } from '../../core/column-type.ts';
import { isRecord, type JsonObject, ownValue } from '../../core/json.ts';
import { countNoun, cutText, dataLine, neutralise, serverLine } from '../../core/text.ts';
import { entryLines, headline, sayFacts } from './facts.ts';
import { limits } from './finish.ts';
import { escapeCell, tableLines, textTable, writeField } from './table.ts';

export function recordText(tool: string, payload: JsonObject, context: FinishedContext): string {
  const { definitions, ...others } = context;
  const { summary, meant, more, warnings } = sayFacts(others);
  return [
    headline(tool, context),
    ...[...summary, ...meant].map(serverLine),
    ...boundedLines(
      recordLines(fieldsWithoutPeriod(payload, context), newLabels(payload, context)),
    ),
    ...[...entryLines(definitions), ...more, ...warnings].map(serverLine),
  ].join('\n');
}

/** Leaves out the days that the headline names. */
function fieldsWithoutPeriod(payload: JsonObject, { period }: FinishedContext): JsonObject {
  const days: unknown[] = [period?.from, period?.to];
  const isPeriodDay = ([name, value]: [string, unknown]) =>
    /^(from|to|date)$/.test(name) && days.includes(value);
  return Object.fromEntries(Object.entries(payload).filter((field) => !isPeriodDay(field)));
}

/** Names of ids that stand neither in the record nor among the meanings of the arguments. */
function newLabels(payload: JsonObject, { labels = {}, resolved = {} }: FinishedContext): Labels {
  const all = Object.entries(labels);
  const names = new Set(all.flatMap(([, ofField]) => Object.values(ofField)));
  removeTexts(names, payload);
  const labelsByField = all.map(([idField, ofField]) => {
    const isNew = ([id, name]: [string, string]) =>
      String(resolved[idField]?.id) !== id && names.has(name);
    return [idField, Object.fromEntries(Object.entries(ofField).filter(isNew))];
  });
  return Object.fromEntries(labelsByField);
}

/** Removes the texts that a value holds, keys of objects included. */
function removeTexts(texts: Set<string>, value: unknown): void {
  if (texts.size === 0) return;
  if (typeof value === 'string') texts.delete(value);
  else if (Array.isArray(value)) for (const item of value) removeTexts(texts, item);
  else if (isRecord(value))
    for (const key of Object.keys(value)) {
      texts.delete(key);
      removeTexts(texts, value[key]);
    }
}

/** Deeper objects and lists are written as JSON. */
const maxDepth = 5;

/** Values first, then objects and lists. Only rows of a table have an unescaped `|`, so no value passes for a row. */
function recordLines(record: JsonObject, labels: Labels, depth = 0): string[] {
  const indent = ' '.repeat(depth);
  const line = (text: string) => dataLine(indent + escapeCell(text));
  const lines: string[] = [];
  const empty: string[] = [];
  const blocks: string[] = [];
  for (const [name, value] of Object.entries(record)) {
    if (depth < maxDepth && isRowList(value)) {
      blocks.push(...listLines(name, value, labels, depth));
    } else if (depth < maxDepth && isFilledRecord(value)) {
      blocks.push(line(`${name}:`), ...recordLines(value, labels, depth + 1));
    } else {
      const cell = writeField(name, value, record, ownValue(labels, fieldOf(name)));
      if (cell) lines.push(line(`${name} ${cell}`));
      else empty.push(name);
    }
  }
  if (empty.length > 0) lines.push(indent + serverLine(neutralise(`Empty: ${empty.join(', ')}`)));
  return [...lines, ...blocks];
}

/**
 * A list as a table, followed by each column of nested lists as one table, whose first column names the row that
 * holds them.
 */
function listLines(title: string, rows: readonly Row[], labels: Labels, depth: number): string[] {
  const columns = [...readColumns(rows)];
  const nested = depth < maxDepth ? columns.filter(([, cells]) => holdsRows(cells)) : [];
  const positions: Column = ['row', rows.map((_, at) => at + 1)];
  const key = columns.find(([name, cells]) => isIdentifier(name) && isDistinct(cells)) ?? positions;
  const ownColumns = columns.filter((column) => !nested.includes(column));
  const numbered =
    nested.length === 0 || ownColumns.includes(key) ? ownColumns : [key, ...ownColumns];
  const table = textTable({ columns: new Map(numbered), labels });
  // A row of one column has no `|`: its indent tells it from a value of the record.
  const indent = ' '.repeat(table.columns.length > 1 ? 0 : depth + 1);
  const count = table.columns.length === 0 ? ` ${countNoun(rows.length, 'row')} alike` : '';
  return [
    dataLine(`${' '.repeat(depth)}${escapeCell(title)}:${count}`),
    ...tableLines(table).map((line) => indent + line),
    ...nested.flatMap(([name, lists]) => {
      const keyName = `${fieldOf(title)}.${key[0]}`;
      const inner = lists.flatMap((list, at) =>
        isRowList(list) ? list.map((row) => ({ [keyName]: key[1][at], ...row })) : [],
      );
      const { [fieldOf(keyName)]: _, ...others } = labels;
      return listLines(`${title}.${name}`, inner, others, depth + 1);
    }),
  ];
}

type Column = [name: string, cells: readonly unknown[]];

function isDistinct(cells: readonly unknown[]): boolean {
  return new Set(cells).size === cells.length;
}

function holdsRows(cells: readonly unknown[]): boolean {
  return cells.some(isRowList) && cells.every((cell) => isRowList(cell) || isEmptyCell(cell));
}

function isFilledRecord(value: unknown): value is JsonObject {
  return isRecord(value) && Object.keys(value).length > 0;
}

function isRowList(value: unknown): value is Row[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

function boundedLines(lines: readonly string[]): string[] {
  const text = lines.join('\n');
  const maxLength = limits.text - 4000;
  if (text.length <= maxLength) return [...lines];
  const start = cutText(text, maxLength).replace(/\n.*$/, '');
  const cut = `Cut: ${start.length} of ${text.length} characters; structuredContent has all of it. Ask for less: one location or a shorter period.`;
  return [start, serverLine(cut)];
}
