import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { CallOptions } from '../../analysis/answer.ts';
import { explain } from '../../analysis/errors/explain.ts';
import { query } from '../../analysis/query.ts';
import { readArguments } from '../../analysis/read-arguments.ts';
import { linkController, unlessAborted } from '../../core/deadline.ts';
import { InputError } from '../../core/errors.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { type Message, messagesOf } from '../../core/message.ts';
import { unknownName } from '../../core/nearest.ts';
import { engineProblem } from '../../query/installation.ts';
import { presentAnswer } from '../answers/present.ts';
import type { App } from '../app/app.ts';
import { offerFile } from '../files/offer-file.ts';
import { type CallFacts, type Failure, failureOf, outcomeOf } from '../telemetry/call-tracking.ts';
import { allTools, type Catalogue, type Tool } from '../tools/catalogue.ts';

export const serverMessages = messagesOf({
  no_query_engine: ({ problem }: { problem: string }) =>
    `${problem} Use the tools that read lists and reports instead.`,
});

export interface CallToolOptions extends CallOptions {
  present?: typeof presentAnswer;
}

/**
 * Calls a tool. A wrong question or a failing platform becomes an `isError` answer that says what to do next.
 * @throws {ProtocolError} for a tool that does not exist, with the nearest name
 */
export async function callTool(
  app: App,
  name: string,
  args: JsonObject,
  { present = presentAnswer, ...options }: CallToolOptions = {},
): Promise<CallToolResult> {
  const { services, catalogue } = app;
  const deadline = services.client.progressDeadline();
  const { controller, unlink } = linkController(options.signal, app.closing);
  const { signal } = controller;
  const call = { ...options, nowMs: services.now(), deadline, signal };
  const tool = catalogue.find(name);
  const isKnown = allTools.includes(name);
  return app.track(isKnown ? name : 'unknown', async (report) => {
    if (tool === undefined) {
      report({ outcome: isKnown ? 'scope' : 'unknown_tool' });
      throw invalidParams(unknownTool(catalogue, name).text, { code: 'unknown_tool' });
    }
    let input: JsonObject = {};
    try {
      input = readArguments(tool, args, services.hasTool);
      const answer = await unlessAborted(tool.answer(services, input, call), signal);
      const settings = { tool, services, signal };
      const result =
        answer.kind === 'rows' && answer.file
          ? await offerFile(settings, answer, answer.file, app)
          : await present(settings, answer);
      report({ ...sizeOf(result), ...(await sourceOf(app, input)) });
      if (!result.isError) return result;
      report({ outcome: 'malformed_answer' });
      return { ...result, ...errorMeta({ code: 'malformed_answer' }) };
    } catch (thrown) {
      const isClosed = app.closing.aborted && !options.signal?.aborted;
      const error: unknown = isClosed ? app.closing.reason : thrown;
      report({ outcome: outcomeOf(error, options.signal) });
      if (options.signal?.aborted)
        return errorResult(`${name} was cancelled.`, { code: 'cancelled' });
      const text = await explain(services, error, { tool, input }, call.signal);
      return errorResult(text, describeFailure(tool, args, error));
    } finally {
      unlink();
    }
  });
}

function sizeOf({ content, structuredContent }: CallToolResult): CallFacts {
  const sizes = content.map((block) => (block.type === 'text' ? Buffer.byteLength(block.text) : 0));
  const data = isRecord(structuredContent) && structuredContent.data;
  return {
    bytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
    ...(Array.isArray(data) && { rows: data.length }),
  };
}

async function sourceOf({ services: { results } }: App, { result_id }: JsonObject) {
  return typeof result_id === 'string' ? { sourceTool: (await results.get(result_id)).tool } : {};
}

function describeFailure({ input: { shape } }: Tool, args: JsonObject, error: unknown): Failure {
  const failure = failureOf(error);
  const argument = error instanceof InputError ? error.argument : undefined;
  const isArgument = [shape, args].some((object) => Object.hasOwn(object, argument ?? ''));
  // Arguments of tables in a statement are reported as the statement.
  const isOfInput = ['bad_input', 'result_gone'].includes(failure.code);
  const isOfStatement = 'sql' in shape && !isArgument && isOfInput;
  return isOfStatement ? { ...failure, argument: 'sql' } : failure;
}

/** The answer of a failed call as text and for programs. Clients do not check it against the output schema. */
export function errorResult(text: string, failure: Failure): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true, ...errorMeta(failure) };
}

function errorMeta(failure: Failure) {
  return { _meta: { 'commerce-mcp/error': failure } };
}

/** Refuses a tool that does not exist or cannot run here. */
export function unknownTool(catalogue: Catalogue, name: string): Message {
  const problem = name === query.tool ? engineProblem() : undefined;
  if (problem !== undefined) return serverMessages.no_query_engine({ problem: problem.text });
  const names = catalogue.list().map(({ tool }) => tool);
  return unknownName('tool', name, names);
}

export function invalidParams(text: string, failure: Failure): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, text, failure);
}
