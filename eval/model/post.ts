import { parseCount } from '../../src/client/transport/http.ts';
import { isRecord, type JsonObject, parseJson } from '../../src/core/json.ts';

/** How a model's address is reached; tests wait no time. */
export interface Wire {
  fetch: typeof fetch;
  sleep(ms: number): Promise<void>;
}

/** An answer of a model's address that is none, in the address's own words. */
export class ModelError extends Error {
  override name = 'ModelError';
}

const attempts = 6;
/** Longest that one answer is waited for, and longest pause before the next attempt. */
const answerMs = 300_000;
const longestPauseMs = 60_000;

/**
 * Posts JSON and reads JSON. What passes by itself (429, 5xx, a broken connection) is tried again, after as
 * long as the address says.
 *
 * @throws ModelError when it refuses, or goes on failing.
 */
export async function post(
  url: string,
  headers: Record<string, string>,
  body: JsonObject,
  { fetch, sleep }: Wire,
): Promise<JsonObject> {
  for (let attempt = 1; ; attempt++) {
    const tried = await postOnce(url, headers, body, fetch);
    if ('answer' in tried) return tried.answer;
    if (!tried.passes || attempt === attempts) throw tried.error;
    await sleep(Math.min(tried.afterMs ?? 1000 * 2 ** attempt, longestPauseMs));
  }
}

type Tried = { answer: JsonObject } | { error: ModelError; passes: boolean; afterMs?: number };

async function postOnce(
  url: string,
  headers: Record<string, string>,
  body: JsonObject,
  send: typeof fetch,
): Promise<Tried> {
  try {
    const reply = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(answerMs),
    });
    const text = await reply.text();
    const answer = parseJson(text);
    if (reply.ok && isRecord(answer)) return { answer };
    const afterSeconds = parseCount(reply.headers.get('retry-after') ?? undefined);
    return {
      error: new ModelError(`${url} answered ${reply.status}: ${text.slice(0, 500)}`),
      passes: reply.status === 429 || reply.status >= 500,
      ...(afterSeconds !== undefined && { afterMs: afterSeconds * 1000 }),
    };
  } catch (error) {
    return { error: new ModelError(`${url} cannot be reached`, { cause: error }), passes: true };
  }
}
