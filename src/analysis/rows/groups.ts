import { weekdays } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { quote } from '../../core/text.ts';
import { createTimestampReader, type TimePart, timeParts } from '../../core/timestamps.ts';
import { kindOf } from './cells.ts';
import { cellReader, cellText, hasColumn, isEmptyCell, type Row, requireColumn } from './rows.ts';

/** What a group shares: a value of a column, a part of its time, or null where there is none. */
export type Label = number | string | boolean | null;

/** One way to group rows: by a column, or by a part of the time that it holds. */
export interface Grouping {
  /** Its name in answers: `shop_id`, `hour(date_created)`. */
  name: string;
  /** Whether its labels run along time, so that groups are best read in that order. */
  isTime: boolean;
  labelOf(row: Row): Label;
  /** What stands for a label when groups are put in order: weekdays begin on Monday. */
  orderKey(label: Label): Label;
  /** What a reader must know of the rows whose label is null: sentences. */
  warningsOn(unlabelled: readonly Row[]): string[];
}

/**
 * The grouping that a text names, over the columns of these rows: `shop_id`, `address.city`, or in
 * Amsterdam time `hour(col)` (00 to 23), `weekday(col)` (Monday to Sunday), `day(col)`, `week(col)`
 * (ISO, 2026-W47) and `month(col)`. A column of that very name goes first.
 * @throws InputError for an unknown column or function, and for the time of a column without any.
 */
export function parseGrouping(text: string, rows: readonly Row[]): Grouping {
  const name = text.trim();
  const [, called = '', inside = ''] = /^(\w+)\s*\((.+)\)$/.exec(name) ?? [];
  if (called === '' || hasColumn(rows, name)) return columnGrouping(name, rows);
  const part = timeParts.find((known) => known === called.toLowerCase());
  if (part) return timeGrouping(part, inside.trim(), rows);
  throw new InputError(
    `group_by: "${quote(called)}" cannot be taken of a column. Group by a column, or by ${timeParts.map((known) => `${known}(column)`).join(', ')}.`,
    'group_by',
  );
}

function columnGrouping(column: string, rows: readonly Row[]): Grouping {
  requireColumn(rows, column, 'group_by');
  const read = cellReader(column);
  return {
    name: column,
    isTime: kindOf(rows.map(read), createTimestampReader()) === 'time',
    labelOf: (row) => labelOf(read(row)),
    orderKey: (label) => label,
    warningsOn: () => [],
  };
}

function timeGrouping(part: TimePart, column: string, rows: readonly Row[]): Grouping {
  requireColumn(rows, column, 'group_by');
  const name = `${part}(${column})`;
  const read = cellReader(column);
  const reader = createTimestampReader();
  const labelOfRow = (row: Row) => {
    const moment = reader.read(read(row));
    return (moment && reader.part(moment, part)) ?? null;
  };
  const isFilled = (row: Row) => !isEmptyCell(read(row));
  const what = part === 'hour' ? 'time of day' : 'time';
  if (rows.some(isFilled) && rows.every((row) => labelOfRow(row) === null)) {
    throw new InputError(
      `group_by: ${name} needs a ${what}, and ${column} holds none.`,
      'group_by',
    );
  }
  return {
    name,
    isTime: true,
    labelOf: labelOfRow,
    orderKey: part === 'weekday' ? weekdayKey : (label) => label,
    warningsOn: (unlabelled) => {
      const count = unlabelled.filter(isFilled).length;
      return count === 0
        ? []
        : [`${name} is null where ${column} is no ${what}, in rows: ${count}.`];
    },
  };
}

function labelOf(cell: unknown): Label {
  if (isEmptyCell(cell)) return null;
  return typeof cell === 'number' || typeof cell === 'boolean' ? cell : cellText(cell);
}

const weekdayPositions = new Map<string, number>(weekdays.map((name, index) => [name, index]));

function weekdayKey(label: Label): Label {
  return weekdayPositions.get(String(label)) ?? null;
}
