/** A caller's database in a process of the engine: its tables, and the statements it runs. */
import type { JsonValue } from '../../core/json.ts';
import { outOfMemory } from '../errors.ts';
import type { AnswerLimits, SqlColumn } from '../protocol/messages.ts';
import type { LoadedTable, TypeHints } from '../provider.ts';
import { type TableText, tableText } from '../rows/table-text.ts';
import { loadedIn } from '../statement/plan.ts';
import { stringifyLossless } from '../statement/tree/lossless-json.ts';
import { makeWritable } from '../statement/tree/round-trip.ts';
import { copyOf, loadedSchema, type Node, statementOf, textOf } from '../statement/tree/tree.ts';
import { walk } from '../statement/tree/walk.ts';
import type { Seat, SeatedTable } from './pool.ts';

/** A table that statements name by `id`, and its rows. */
export interface KeyedTable {
  id: string;
  /** Equal keys are equal rows. */
  key: string;
  table: LoadedTable;
}

/** Rows of an answer, each an array in the order of the columns. */
export interface SelectedRows {
  columns: readonly SqlColumn[];
  rows: JsonValue[][];
  /** There are more rows than these. */
  more: boolean;
}

export interface StatementDatabase {
  /** The tree of a statement, as JSON text. */
  parse(sql: string): Promise<string>;
  /** Runs a query over the given tables, of which it loads those that it reads. */
  select(query: Node, tables: readonly KeyedTable[], limits: AnswerLimits): Promise<SelectedRows>;
}

export interface DatabaseOptions {
  memoryMb: number;
  threads: number;
  /** Throws when the statement has to end. */
  check: () => void;
  /** Hears the columns of each table that is used. */
  onColumns: (id: string, columns: readonly SqlColumn[]) => void;
}

/** The part of the memory that tables of earlier statements may keep, as JSON text. */
const keptShare = 1 / 4;

/** The caller's database on this process: the one that is open, or a new one. */
export async function openStatementDatabase(
  seat: Seat,
  caller: string,
  { memoryMb, threads, check, onColumns }: DatabaseOptions,
): Promise<StatementDatabase> {
  const { worker } = seat;
  if (seat.owner !== caller) {
    seat.owner = undefined;
    seat.tables.clear();
    await worker.call({ op: 'open', memoryMb, threads });
    seat.owner = caller;
  }

  async function load({ key, table }: KeyedTable): Promise<SeatedTable> {
    const name = `x${++seat.loaded}`;
    const { columns: hints = {} } = table;
    let isWhole = false;
    try {
      const { size, values } = await send(name, hints, tableText(table.rows, hints));
      isWhole = true;
      const { columns } = await worker.call({ op: 'end', values });
      const seated = { name, columns, size };
      seat.tables.set(key, seated);
      return seated;
    } finally {
      // Half a table would be in the way of the next statement.
      if (!isWhole) worker.kill();
    }
  }

  /** Sends the rows of a table; resolves with the length of their text, and how many values each column has. */
  async function send(
    name: string,
    hints: TypeHints,
    text: TableText,
  ): Promise<{ size: number; values: readonly number[] }> {
    let size = 0;
    await worker.post({ op: 'table', name, columns: text.columns, hints });
    for await (const chunk of text.chunks) {
      check();
      size += chunk.length;
      // What does not fit as text fits no better as a table.
      if (size > memoryMb * 1024 * 1024) throw outOfMemory();
      await worker.post({ op: 'rows' }, chunk);
    }
    const ending = text.ending();
    if ('values' in ending) return { size, values: ending.values };
    await worker.call({ op: 'drop', name });
    return send(name, hints, ending.instead);
  }

  async function makeRoom(own: readonly KeyedTable[]): Promise<void> {
    const keys = new Set(own.map(({ key }) => key));
    const others = [...seat.tables].filter(([key]) => !keys.has(key));
    let kept = 0;
    for (const [key, { name, size }] of others.toReversed()) {
      kept += size;
      const isPrivate = key.startsWith(privatePrefix);
      if (!isPrivate && kept <= memoryMb * 1024 * 1024 * keptShare) continue;
      await worker.call({ op: 'drop', name });
      seat.tables.delete(key);
    }
  }

  return {
    async parse(sql) {
      check();
      return (await worker.call({ op: 'parse' }, sql)).tree;
    },
    async select(query, tables, { maxRows, maxBytes }) {
      const ids = loadedIn(query);
      const needed = tables.filter(({ id }) => ids.has(id));
      await makeRoom(tables);
      const seated = new Map<string, string>();
      for (const table of needed) {
        const found = seat.tables.get(table.key) ?? (await load(table));
        // The one used last stands at the end.
        seat.tables.delete(table.key);
        seat.tables.set(table.key, found);
        seated.set(table.id, found.name);
        onColumns(table.id, found.columns);
      }
      const statement = stringifyLossless(statementOf(written(query, seated)));
      check();
      const rows: JsonValue[][] = [];
      const { columns, more } = await worker.call(
        { op: 'select', maxRows, maxBytes },
        statement,
        (text) => {
          for (const row of readRows(text)) rows.push(row);
        },
      );
      if (rows.some((row) => row.length !== columns.length))
        throw new TypeError('Rows lack columns.');
      return { columns, rows, more };
    },
  };
}

/** Keys of tables that no other statement asks for. */
export const privatePrefix = 'statement ';

/** The query as it is run: with the tables' names in the database in place of their ids. */
function written(query: Node, seated: ReadonlyMap<string, string>): Node {
  const copy = copyOf(query);
  walk(copy, {
    table(table) {
      if (textOf(table, 'schema_name') !== loadedSchema) return;
      table.table_name = seated.get(textOf(table, 'table_name'));
    },
  });
  makeWritable(copy);
  return copy;
}

function readRows(text: string): JsonValue[][] {
  const rows: unknown = JSON.parse(text);
  if (!isRows(rows)) throw new TypeError('These are no rows.');
  return rows;
}

/** Rows that `JSON.parse` gave hold JSON values. */
function isRows(value: unknown): value is JsonValue[][] {
  return Array.isArray(value) && value.every((row) => Array.isArray(row));
}
