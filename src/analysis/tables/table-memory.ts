import { LRUCache } from 'lru-cache';
import type { ResultStore } from '../results/store.ts';
import type { TableReading } from './join-answers.ts';

/** A table that was read for a statement, and the kept result that holds its rows. */
export interface KnownTable extends TableReading {
  /** Undefined where the rows were too many to keep. */
  resultId: string | undefined;
  /** Epoch milliseconds after which it is read again. */
  freshUntilMs: number;
}

/** What statements read lately, so that the next one need not read it again. */
export interface TableMemory {
  /** A table that is fresh and whose rows are still kept for the caller. */
  get(key: string, results: ResultStore, nowMs: number): Promise<KnownTable | undefined>;
  put(key: string, table: KnownTable): void;
}

/** A memory of so many tables; their rows lie with the kept results and make room with them. */
export function createTableMemory(maxTables = 500): TableMemory {
  type Remembered = Omit<KnownTable, 'rows'>;
  const known = new LRUCache<string, Remembered>({ max: maxTables });
  return {
    async get(key, results, nowMs) {
      const table = known.get(key);
      if (table?.resultId === undefined || table.freshUntilMs <= nowMs) return undefined;
      const kept = await results.get(table.resultId).catch(() => undefined);
      return kept && { ...table, rows: [...kept.rows], cached: true, calls: 0 };
    },
    put(key, { rows: _, ...table }) {
      known.set(key, table);
    },
  };
}
