/** How an analyst's questions are asked: in words, at a server that a file shares, in at most two calls. */
import { expect, test } from 'vitest';
import { isRecord, type JsonObject } from '../../src/core/json.ts';
import type { Order, RevenueLine } from '../../src/sandbox/world/trade/order.ts';
import type { World } from '../../src/sandbox/world/world.ts';
import type { ToolAnswer } from '../clients.ts';
import { hinted } from '../query-engine.ts';
import {
  inSandboxNames,
  saidInSandbox,
  sayInOther,
  sayMeasureInOther,
} from '../sandbox/other-dialect.ts';
import type { Dialect } from '../sandbox/start-sandbox.ts';
import { revenueLines } from '../sandbox/world/truth.ts';
import {
  type Ask,
  accounts,
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
  /** The lines that product sales count: less returns, or before them. */
  sold(orders: readonly Order[]): RevenueLine[];
}

/** Makes the calls that a model would make and holds what they say against the business itself. */
export type Answering = (asking: Asking) => Promise<void>;

/** How the questions of a file are asked: at one server for each account, which warns of none of their statements. */
export function questionsOfAFile(options: ServerOptions = {}) {
  const servers = accounts.map((account) => {
    return { ...account, shared: sharedServer({ ...account, ...options }) };
  });
  return function question(words: string, answer: Answering): void {
    test.each(servers)(`${words} (openapi.json is $description, names $dialect)`, async (asked) => {
      hinted.length = 0;
      const { dialect, shared } = asked;
      const server = shared();
      let calls = 0;
      const plain = inPlainNames(server, dialect);
      const ask: Ask = (...question) => {
        calls++;
        return plain.ask(...question);
      };
      const tell = async (sql: string) => {
        const { text, rows, context } = await runSql({ ...server, ask }, sql, 5000);
        expect(context.complete, text).toBe(true);
        return rows;
      };
      const { world, control } = server.sandbox;
      const isSold = ({ quantity }: RevenueLine) => dialect === 'plain' || quantity > 0;
      const sold: Asking['sold'] = (orders) => revenueLines(orders).filter(isSold);
      await answer({ ask, tell, world, control, sold });
      expect(calls).toBeLessThanOrEqual(2);
      expect(hinted).toEqual([]);
    });
  };
}

/**
 * A server that is asked and answers in the sandbox's names, whatever its account's; orders are listed as the plain one
 * lists them: without internal ones.
 */
export function inPlainNames<Server extends { ask: Ask }>(
  server: Server,
  dialect: Dialect,
): Server {
  if (dialect === 'plain') return server;
  const ask: Ask = async (tool, { sql, measures, ...others } = {}, ...given) => {
    const spoken = {
      ...others,
      ...(typeof sql === 'string' && {
        sql: sayInOther(sql).replaceAll('list_orders(', 'list_orders(is_internal := false, '),
      }),
      ...(Array.isArray(measures) && { measures: measures.map(String).map(sayMeasureInOther) }),
      ...(tool === 'list_orders' && { is_internal: false }),
    };
    const answer = await server.ask(tool, spoken, ...given);
    const [body, context] = [inSandboxNames(answer.body), inSandboxNames(answer.context)];
    return {
      ...answer,
      text: answer.text.replaceAll(/\w+(\.\w+)+|\w+_\w+/g, saidInSandbox),
      body: isRecord(body) ? body : {},
      context: isRecord(context) ? context : {},
      rows: answer.rows.map((row) => inSandboxNames(row)).filter(isRecord),
    };
  };
  return { ...server, ask };
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
