import { isRecord, type JsonObject, toNumber } from '../../src/core/json.ts';
import type { Conversation, Model, ModelSettings, Turn } from './model.ts';
import { post, type Wire } from './post.ts';

/** Most tokens of one turn: long enough for any answer here, and every model takes it. */
const turnTokens = 8192;

/** A model behind `POST /v1/messages`, as Anthropic has it. */
export function anthropic({ url, key, name }: ModelSettings, wire: Wire): Model {
  return (system, tools): Conversation => {
    const messages: JsonObject[] = [];
    // What every turn begins with, the tools included, is read from the address's cache.
    const begin = [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }];
    const listed = tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    }));

    async function next(): Promise<Turn> {
      const headers = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
      const body = { model: name, max_tokens: turnTokens, system: begin, messages, tools: listed };
      const answer = await post(`${url}/v1/messages`, headers, body, wire);
      const blocks = Array.isArray(answer.content) ? answer.content.filter(isRecord) : [];
      // Its turn goes back as it came: blocks of thought are a part of it.
      messages.push({ role: 'assistant', content: blocks });
      const ofType = (type: string) => blocks.filter((block) => block.type === type);
      const usage = isRecord(answer.usage) ? answer.usage : {};
      const read = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
      return {
        text: ofType('text')
          .map(({ text }) => text)
          .join('\n'),
        calls: ofType('tool_use').map(({ id, name, input }) => ({
          id: String(id),
          name: String(name),
          input: isRecord(input) ? input : undefined,
        })),
        tokens: {
          read: read.reduce((sum, counted) => sum + toNumber(usage[counted] ?? 0), 0),
          written: toNumber(usage.output_tokens),
        },
      };
    }

    return {
      ask(question) {
        messages.push({ role: 'user', content: question });
        return next();
      },
      handOver(results) {
        const content = results.map(({ id, text, isError }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: text,
          is_error: isError,
        }));
        messages.push({ role: 'user', content });
        return next();
      },
    };
  };
}
