/** How an analyst's questions are asked: in words, at a server that a file shares, in at most two calls. */
import { expect, test } from 'vitest';
import { isRecord, type JsonObject } from '../../src/core/json.ts';
import type { World } from '../../src/sandbox/world/world.ts';
import type { ToolAnswer } from '../clients.ts';
import { hinted } from '../query-engine.ts';
import {
  type Ask,
  describedAs,
  runSql,
  type ServerOptions,
  sharedServer,
  type TestServer,
} from '../server-over.ts';

/** What a question is asked with, and the truth that its answer is held against. */
export interface Asking {
  ask: Ask;
  /** Runs one statement and gives all its rows. */
  tell(sql: string): Promise<JsonObject[]>;
  world: World;
  control: TestServer['sandbox']['control'];
}

/** Makes the calls that a model would make and holds what they say against the business itself. */
export type Answering = (asking: Asking) => Promise<void>;

/** How the questions of a file are asked: at one server for each description, which warns of none of their statements. */
export function questionsOfAFile(options: ServerOptions = {}) {
  const servers = describedAs.map(
    (description) => [description, sharedServer({ description, ...options })] as const,
  );
  return function question(words: string, answer: Answering): void {
    test.each(servers)(`${words} (openapi.json is %s)`, async (_, shared) => {
      hinted.length = 0;
      const server = shared();
      let calls = 0;
      const ask: Ask = (...given) => {
        calls++;
        return server.ask(...given);
      };
      const tell = async (sql: string) => {
        const { text, rows, context } = await runSql({ ...server, ask }, sql, 5000);
        expect(context.complete, text).toBe(true);
        return rows;
      };
      await answer({ ask, tell, world: server.sandbox.world, control: server.sandbox.control });
      expect(calls).toBeLessThanOrEqual(2);
      expect(hinted).toEqual([]);
    });
  };
}

/** The id of the rows that an answer kept. */
export function resultId({ context, isError, text }: ToolAnswer): string {
  if (isError) throw new Error(text);
  return String(part(context, 'result').id);
}

/** What the profile of the kept rows says of a column. */
export function profile({ context }: ToolAnswer, column: string): JsonObject {
  const found = rowsAt(part(context, 'result'), 'columns').find(({ name }) => name === column);
  if (found === undefined) throw new Error(`no column ${column} is profiled`);
  return found;
}

/** The object at a path; fails the test where there is none. */
export function part(from: JsonObject, ...path: readonly string[]): JsonObject {
  let found: unknown = from;
  for (const key of path) found = isRecord(found) ? found[key] : undefined;
  if (!isRecord(found)) throw new Error(`there is no ${path.join('.')}`);
  return found;
}

/** The rows of a list at a path. */
export function rowsAt(from: JsonObject, ...path: readonly string[]): JsonObject[] {
  const last = path.at(-1) ?? '';
  const list = part(from, ...path.slice(0, -1))[last];
  if (!Array.isArray(list)) throw new Error(`there is no list ${path.join('.')}`);
  return list.filter(isRecord);
}

/** What an answer names as there besides, by an argument that asks for it. */
export function moreOf({ context }: ToolAnswer, argument: string): string[] {
  const values = part(context, 'more')[argument];
  return Array.isArray(values) ? values.map(String) : [];
}
