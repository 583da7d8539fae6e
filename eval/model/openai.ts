import { isRecord, type JsonObject, parseJson, toNumber } from '../../src/core/json.ts';
import type { Conversation, Model, ModelCall, ModelSettings, Turn } from './model.ts';
import { ModelError, post, type Wire } from './post.ts';

/** A model behind `POST /chat/completions`, as OpenAI has it, and many others by its example. */
export function openAi({ url, key, name }: ModelSettings, wire: Wire): Model {
  return (system, tools): Conversation => {
    const messages: JsonObject[] = [{ role: 'system', content: system }];
    const functions = tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    }));

    async function next(): Promise<Turn> {
      const headers = { authorization: `Bearer ${key}` };
      const body = { model: name, messages, tools: functions };
      const answer = await post(`${url}/chat/completions`, headers, body, wire);
      const [choice] = Array.isArray(answer.choices) ? answer.choices : [];
      const message = isRecord(choice) ? choice.message : undefined;
      if (!isRecord(message)) throw new ModelError(`${url} answered without a message`);
      messages.push(message);
      const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isRecord) : [];
      const usage = isRecord(answer.usage) ? answer.usage : {};
      return {
        text: typeof message.content === 'string' ? message.content : '',
        calls: calls.map(callOf),
        tokens: {
          read: toNumber(usage.prompt_tokens),
          written: toNumber(usage.completion_tokens),
        },
      };
    }

    return {
      ask(question) {
        messages.push({ role: 'user', content: question });
        return next();
      },
      handOver(results) {
        for (const { id, text } of results)
          messages.push({ role: 'tool', tool_call_id: id, content: text });
        return next();
      },
    };
  };
}

function callOf(call: JsonObject): ModelCall {
  const asked = isRecord(call.function) ? call.function : {};
  const input = parseJson(String(asked.arguments || '{}'));
  return {
    id: String(call.id),
    name: String(asked.name),
    input: isRecord(input) ? input : undefined,
  };
}
