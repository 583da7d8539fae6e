/** How questions across lists are asked: each as one statement, at a server that a file shares. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { hinted } from '../../query-engine.ts';
import { runSql, type ServerOptions, sharedServer, type TestServer } from '../../server-over.ts';

/** What a question is asked with. */
export interface Asking {
  server: TestServer;
  /** Runs the one statement and gives all its rows. */
  tell(sql: string): Promise<JsonObject[]>;
}

/** Asks the questions of a file at one server. */
export function askAtOneServer(options: ServerOptions = {}) {
  const server = sharedServer(options);
  return function question(words: string, answer: (asking: Asking) => Promise<void>): void {
    test(words, async () => {
      hinted.length = 0;
      let statements = 0;
      await answer({
        server: server(),
        async tell(sql) {
          statements++;
          const { text, rows, context } = await runSql(server(), sql, 5000);
          expect(context.complete, text).toBe(true);
          return rows;
        },
      });
      expect(statements).toBe(1);
      expect(hinted).toEqual([]);
    });
  };
}

const amsterdam = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Amsterdam' });

/** The Amsterdam day of a moment. */
export function dayOf(ms: number): string {
  return amsterdam.format(ms);
}

/** The days from one to another, both included. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += 86_400_000)
    days.push(new Date(ms).toISOString().slice(0, 10));
  return days;
}
