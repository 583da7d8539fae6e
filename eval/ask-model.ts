import type { CallResult, Conversation, Model, ModelCall, Tokens } from './model/model.ts';
import type { Channel, EvaluatedServer } from './server.ts';

/** Most calls that a question may take before it counts as not answered. */
export const mostCalls = 12;

/** What a model made of a question. */
export interface Told {
  /** Its last word; empty where it had none within {@link mostCalls}. */
  answer: string;
  calls: number;
  /** Of all its turns together. */
  tokens: Tokens;
}

const task = `You answer questions about a retail business with the tools that you have.
Answer in plain text and in full: every figure that is asked for, amounts to the cent. Where there are several
rows, write one row a line, beginning with its name. If something cannot be found, say so.`;

/** Lets a model ask the server until it answers. */
export async function askModel(
  question: string,
  server: EvaluatedServer,
  model: Model,
  channel: Channel,
): Promise<Told> {
  const conversation: Conversation = model(`${task}\n\n${server.instructions}`, server.tools);
  let turn = await conversation.ask(question);
  const tokens = { ...turn.tokens };
  let calls = 0;
  while (turn.calls.length > 0) {
    calls += turn.calls.length;
    if (calls > mostCalls) return { answer: '', calls, tokens };
    const results: CallResult[] = [];
    for (const call of turn.calls) results.push(await answerTo(call, server, channel));
    turn = await conversation.handOver(results);
    tokens.read += turn.tokens.read;
    tokens.written += turn.tokens.written;
  }
  return { answer: turn.text, calls, tokens };
}

async function answerTo(
  { id, name, input }: ModelCall,
  server: EvaluatedServer,
  channel: Channel,
): Promise<CallResult> {
  if (input === undefined)
    return { id, text: `${name}: the arguments are no JSON object`, isError: true };
  return { id, ...(await server.call(name, input, channel)) };
}
