/** How the twenty questions are asked: in words, and answered in at most two calls. */

import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { isRecord, type JsonObject } from '../../../src/core/json.ts';
import type { TaxRate } from '../../../src/sandbox/world/business/ledgers.ts';
import type { ToolAnswer } from '../../clients.ts';
import { hinted } from '../../query-engine.ts';
import { type Ask, type ServerOptions, sharedServer, type TestServer } from '../../server-over.ts';

/** Most calls that an analyst's question may take. */
const mostCalls = 2;

/** Makes the calls that a model would make and holds what they say against the business itself. */
export type Answering = (ask: Ask, server: TestServer) => Promise<void>;

/** Asks one question of an analyst. */
type Question = (words: string, answer: Answering, options?: ServerOptions) => void;

/** How the questions of a file are asked: those with the same options share a server. */
export function questionsOfAFile(): Question {
  const servers = new Map<string, () => TestServer>();
  return (words, answer, options = {}) => {
    const key = JSON.stringify(options);
    const shared = servers.get(key) ?? sharedServer(options);
    servers.set(key, shared);
    test(words, async () => {
      hinted.length = 0;
      const server = shared();
      const calls: string[] = [];
      const tokens = { text: 0, structure: 0 };
      await answer(async (tool, input) => {
        calls.push(tool);
        const reply = await server.ask(tool, input);
        tokens.text += encode(reply.text).length;
        tokens.structure += encode(JSON.stringify(reply.body)).length;
        return reply;
      }, server);
      // For whoever runs this: what the answers of the question cost to read.
      console.info(`${words}: ${JSON.stringify({ calls: calls.length, ...tokens })}`);
      expect(calls.length, calls.join(', ')).toBeLessThanOrEqual(mostCalls);
      expect(hinted).toEqual([]);
    });
  };
}

/** The account of a chain. */
export const chain: ServerOptions = { ordersPerDay: 500 };

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

/** A VAT rate as answers name it. */
export function labelOfRate({ countryCode, percentage }: TaxRate): string {
  return `${countryCode} ${percentage}%`;
}
