import { isRecord } from '../../core/json.ts';
import type { TypeHints } from '../provider.ts';

/** What the server tells the engine's process. Text that belongs to it travels as the body. */
export type EngineCommand =
  /** A fresh database; whatever was there is gone. */
  | { op: 'open'; memoryMb: number; threads: number }
  /** Body: a statement. Answered by its tree as JSON text. */
  | { op: 'parse' }
  /** Rows follow as `rows`, then `end`, which is answered by the columns. */
  | { op: 'table'; name: string; columns: readonly TableColumn[]; hints: TypeHints }
  /** Body: a JSON object that holds the values of some rows, a list for each column. Not answered. */
  | { op: 'rows' }
  /** How many values of each column of the rows are not null. */
  | { op: 'end'; values: readonly number[] }
  | { op: 'drop'; name: string }
  /** Body: the tree of a SELECT. Answered by `columns`, any number of `rows`, then `done`. */
  | { op: 'select'; maxRows: number; maxBytes: number }
  /** Ends what runs. Not answered by itself. */
  | { op: 'interrupt' };

/** Bounds of an answer. */
export interface AnswerLimits {
  maxRows: number;
  /** Of all rows as JSON text; counted in UTF-16 units. */
  maxBytes: number;
}

/** A type as `from_json` takes it: a name, the type of a list's items, or the types of an object's fields. */
export type EngineType = string | readonly [EngineType] | { readonly [field: string]: EngineType };

/** A column of a table that is on its way in. */
export interface TableColumn {
  name: string;
  type: EngineType;
  /** Whether there are objects or lists among them. */
  holdsJson: boolean;
}

/** The column of a table that has none: its list of nulls says how many rows there are. */
export const noColumn: TableColumn = { name: 'nothing', type: 'VARCHAR', holdsJson: false };

/** A column, with its type in DuckDB's words. */
export interface SqlColumn {
  name: string;
  type: string;
}

/** How the engine says that something went wrong. */
export interface EngineFailure {
  /** Such as `Binder`, `Out of Memory`; `Engine` for what is no statement's fault. */
  type: string;
  message: string;
  /** The finer kind, such as `COLUMN_NOT_FOUND`. */
  subtype?: string;
  /** The name that was not found. */
  name?: string;
  /** Offset into the text that was parsed. */
  position?: number;
}

/** What the engine's process answers. */
export type EngineReply =
  | { kind: 'ready' }
  | { kind: 'done'; more?: boolean }
  /** Body: the tree. */
  | { kind: 'tree' }
  | { kind: 'columns'; columns: SqlColumn[] }
  /** Body: a JSON array of rows, each an array of values in the order of the columns. */
  | { kind: 'rows' }
  | { kind: 'failed'; failure: EngineFailure };

/** The command that a message holds. @throws {TypeError} when it holds none */
export function readCommand(head: unknown): EngineCommand {
  if (isRecord(head) && typeof head.op === 'string') {
    const { op, name, memoryMb, threads, maxRows, maxBytes, columns, hints, values } = head;
    if (op === 'parse' || op === 'rows' || op === 'interrupt') return { op };
    if (op === 'end' && Array.isArray(values) && values.every(isCount)) return { op, values };
    if (op === 'open' && isCount(memoryMb) && isCount(threads)) return { op, memoryMb, threads };
    if (op === 'drop' && typeof name === 'string') return { op, name };
    if (op === 'select' && isCount(maxRows) && isCount(maxBytes)) return { op, maxRows, maxBytes };
    const isTable = op === 'table' && typeof name === 'string';
    if (isTable && isHints(hints) && Array.isArray(columns) && columns.every(isTableColumn)) {
      return { op, name, columns, hints };
    }
  }
  throw new TypeError('This is no command.');
}

/** The reply that a message holds. @throws {TypeError} when it holds none */
export function readReply(head: unknown): EngineReply {
  if (isRecord(head)) {
    const { kind, columns, failure, more } = head;
    if (kind === 'ready' || kind === 'tree' || kind === 'rows') return { kind };
    if (kind === 'done') return { kind, more: more === true };
    if (kind === 'columns' && Array.isArray(columns) && columns.every(isColumn)) {
      return { kind, columns };
    }
    if (kind === 'failed' && isFailure(failure)) return { kind, failure };
  }
  throw new TypeError('This is no reply.');
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}

function isHints(value: unknown, depth = 0): value is TypeHints {
  if (!isRecord(value) || depth > 8) return false;
  return Object.values(value).every((hint) => typeof hint === 'string' || isHints(hint, depth + 1));
}

function isTableColumn(value: unknown): value is TableColumn {
  return (
    isRecord(value) &&
    typeof value.name === 'string' &&
    typeof value.holdsJson === 'boolean' &&
    isEngineType(value.type)
  );
}

function isEngineType(value: unknown): value is EngineType {
  if (Array.isArray(value)) return value.length === 1 && isEngineType(value[0]);
  return typeof value === 'string' || (isRecord(value) && Object.values(value).every(isEngineType));
}

function isColumn(value: unknown): value is SqlColumn {
  return isRecord(value) && typeof value.name === 'string' && typeof value.type === 'string';
}

function isFailure(value: unknown): value is EngineFailure {
  if (!isRecord(value)) return false;
  const { type, message, subtype, name, position } = value;
  const isOptionalText = (text: unknown) => text === undefined || typeof text === 'string';
  return (
    typeof type === 'string' &&
    typeof message === 'string' &&
    isOptionalText(subtype) &&
    isOptionalText(name) &&
    (position === undefined || typeof position === 'number')
  );
}
