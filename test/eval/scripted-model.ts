/** A model's address as a real HTTP server that says what is scripted, in both forms that there are. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { isRecord, type JsonObject, parseJson } from '../../src/core/json.ts';

/** What the model does next, by the question and the results that it was handed. */
type Script = (question: string, results: readonly string[]) => Move;
type Move = { call: string; input: unknown } | { answer: string };

/** Tokens that it claims to have read and written with each turn. */
const claimed = { read: 1000, written: 10 };

/** Serves until the test is over; `url` is what `EVAL_URL` has to be. */
export async function startScriptedModel(script: Script) {
  const server = createServer(async (request, reply) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = parseJson(text);
    if (!isRecord(body)) throw new Error('the request is no JSON');
    const isOpenAi = request.url === '/v1/chat/completions';
    if (!isOpenAi && request.url !== '/v1/messages')
      return void reply.writeHead(404).end('no such path');
    const said = Array.isArray(body.messages) ? body.messages.filter(isRecord) : [];
    const move = script(...(isOpenAi ? readOpenAi(said) : readAnthropic(said)));
    const answer = isOpenAi ? asOpenAi(move) : asAnthropic(move);
    reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return { url: { openai: `${origin}/v1`, anthropic: origin } };
}

function readOpenAi(said: readonly JsonObject[]): [string, string[]] {
  const of = (role: string) => said.flatMap((it) => (it.role === role ? [String(it.content)] : []));
  return [of('user').join(), of('tool')];
}

function readAnthropic(said: readonly JsonObject[]): [string, string[]] {
  const blocks = said.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const results = blocks.filter(({ type }) => type === 'tool_result');
  return [String(said[0]?.content), results.map(({ content }) => String(content))];
}

function asOpenAi(move: Move): JsonObject {
  const usage = { prompt_tokens: claimed.read, completion_tokens: claimed.written };
  if ('answer' in move) return { usage, choices: [{ message: asMessage(move.answer) }] };
  const call = { name: move.call, arguments: JSON.stringify(move.input) };
  const tool_calls = [{ id: 'call_1', type: 'function', function: call }];
  return { usage, choices: [{ message: { ...asMessage(null), tool_calls } }] };
}

function asMessage(content: string | null) {
  return { role: 'assistant', content };
}

function asAnthropic(move: Move): JsonObject {
  // What was read from its cache counts as read.
  const read = { input_tokens: claimed.read - 900, cache_read_input_tokens: 900 };
  const usage = { ...read, output_tokens: claimed.written };
  if ('answer' in move) return { usage, content: [{ type: 'text', text: move.answer }] };
  const call = { type: 'tool_use', id: 'toolu_1', name: move.call, input: move.input };
  return { usage, content: [{ type: 'text', text: 'I look it up.' }, call] };
}
