import { describe, expect, test } from 'vitest';
import { evaluate } from '../../eval/evaluate.ts';
import { judge } from '../../eval/judge/judge.ts';
import { anthropic } from '../../eval/model/anthropic.ts';
import { openAi } from '../../eval/model/openai.ts';
import { questions } from '../../eval/questions/questions.ts';
import { serverOf } from '../../eval/server.ts';
import { isRecord, parseJson } from '../../src/core/json.ts';
import { now, runSql, sharedServer } from '../server-over.ts';
import { type Script, startScriptedModel } from './scripted-model.ts';

const server = sharedServer({ ordersPerDay: 60 });
const asked = questions.filter(({ id }) => id === 'best-sellers' || id === 'teapots');

/** Asks what stands in `sql`, then says the rows that came, over whichever channel. */
const knowing: Script = (words, results) => {
  const question = asked.find(({ ask }) => ask === words);
  if (question === undefined) throw new Error(`nobody asks "${words}"`);
  const [result] = results;
  if (result === undefined) return { call: 'query', input: { sql: question.sql } };
  const body = parseJson(result);
  const rows = isRecord(body) && Array.isArray(body.data) ? body.data.filter(isRecord) : undefined;
  return { answer: rows?.map((row) => Object.values(row).join(': ')).join('\n') ?? result };
};

/** An evaluation against a scripted model; pauses are counted, not waited. */
async function run(api: 'openai' | 'anthropic', script: Script, chosen = asked) {
  const pauses: number[] = [];
  const { url, requests } = await startScriptedModel(script);
  const wire = { fetch, sleep: async (ms: number) => void pauses.push(ms) };
  const settings = { url: url[api], key: 'a-key', name: 'a-model' };
  const evaluating = evaluate({
    model: (api === 'openai' ? openAi : anthropic)(settings, wire),
    questions: chosen,
    now: () => now,
    openServer: async () => ({ ...(await serverOf(server().client)), close: async () => {} }),
  });
  return { results: await evaluating, requests, pauses };
}

describe.each(['openai', 'anthropic'] as const)('a model behind %s', (api) => {
  test('a model that asks and repeats is right over both channels, and its calls and tokens are counted', async () => {
    const { results, requests } = await run(api, knowing);
    const once = { right: true, missing: [], calls: 1, tokens: { read: 2000, written: 20 } };
    expect(results).toEqual(
      ['best-sellers', 'teapots'].flatMap((id) => [
        { id, channel: 'text', ...once },
        { id, channel: 'structured', ...once },
      ]),
    );
    const { tools } = await server().client.listTools();
    for (const { body, headers } of requests) {
      expect(body).toMatchObject({ model: 'a-model', tools: { length: tools.length } });
      expect(headers).toMatchObject(
        api === 'openai' ? { authorization: 'Bearer a-key' } : { 'x-api-key': 'a-key' },
      );
      // The server's own instructions reach the model.
      const own = JSON.stringify(server().client.getInstructions()).slice(1, -1);
      expect(JSON.stringify(body)).toContain(own);
    }
  });
});

describe('the questions for a model', () => {
  test('the questions have ids of their own', () => {
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
  });

  test.each(questions)('$id can be answered, and its answer is judged', async (question) => {
    const { world } = server().sandbox;
    const sql = typeof question.sql === 'string' ? question.sql : question.sql(world);
    const { rows } = await runSql(server(), sql, 5000);
    const lines = rows.map((row) => Object.values(row).join(' | '));
    const truth = question.truth(world);
    expect(truth.length).toBeGreaterThan(0);
    expect(judge(lines.join('\n'), truth)).toEqual({ right: true, missing: [] });
    // Every row counts: without any one of them the answer is wrong.
    for (const [index] of lines.entries())
      expect(judge(lines.toSpliced(index, 1).join('\n'), truth).right).toBe(false);
  });
});
