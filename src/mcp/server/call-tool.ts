import { setMaxListeners } from 'node:events';
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { Call, CallOptions } from '../../analysis/answer.ts';
import { explain } from '../../analysis/errors/explain.ts';
import { query } from '../../analysis/query.ts';
import type { ReferenceEntry } from '../../analysis/reference/reference.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { quote } from '../../core/text.ts';
import { engineProblem } from '../../query/pool/installation.ts';
import { presentAnswer } from '../answers/present.ts';
import type { App } from '../app/app.ts';
import { type Outcome, outcomeOf } from '../telemetry/call-tracking.ts';
import { readArguments } from '../tools/arguments.ts';
import type { Catalogue, Tool } from '../tools/catalogue.ts';

/** How a call is made, and what becomes of its answer. */
export interface CallToolOptions extends CallOptions {
  /** Makes of an answer what is given back. @default {@link presentAnswer} */
  present?: typeof presentAnswer;
}

/**
 * Calls a tool. Whatever goes wrong with the question or the platform is an `isError` answer that
 * says what to do next. Where a report is refused until one location is named, `askLocation` may
 * turn the locations there are into a question to the user instead.
 *
 * @throws {ProtocolError} for a tool that does not exist, with the nearest name.
 */
export async function callTool<Asked = never>(
  app: App,
  name: string,
  raw: unknown,
  { present = presentAnswer, ...options }: CallToolOptions = {},
  askLocation?: (locations: readonly ReferenceEntry[]) => Asked | undefined,
): Promise<CallToolResult | Asked> {
  const call = { ...options, nowMs: app.services.now() };
  // A call may make many requests at once, and each listens for its end.
  if (call.signal) setMaxListeners(0, call.signal);
  const tool = app.catalogue.find(name);
  const tracked = { tool: tool?.tool ?? 'unknown', caller: app.caller };
  return app.activity.track(tracked, (report) => {
    if (tool !== undefined)
      return answerCall(app, tool, raw, call, { present, report, askLocation });
    report('unknown_tool');
    throw unknownTool(app.catalogue, name);
  });
}

/** Where an answer, or what became of it, goes. */
interface Outlet<Asked> {
  present: typeof presentAnswer;
  report(outcome: Outcome): void;
  askLocation: ((locations: readonly ReferenceEntry[]) => Asked | undefined) | undefined;
}

async function answerCall<Asked>(
  app: App,
  tool: Tool,
  raw: unknown,
  call: Call,
  { present, report, askLocation }: Outlet<Asked>,
): Promise<CallToolResult | Asked> {
  const name = tool.tool;
  let input: JsonObject = {};
  try {
    input = readArguments(tool, raw);
    const answer = await tool.answer(app.services, input, call);
    const result = await present({ tool, services: app.services }, answer, call.signal);
    if (result.isError) report('malformed_answer');
    return result;
  } catch (error) {
    report(call.signal?.aborted ? 'cancelled' : outcomeOf(error));
    if (call.signal?.aborted) return errorResult(`${name} was cancelled.`);
    if (askLocation && wantsLocation(tool, input, error)) {
      const locations = await app.services.reference.list('location', call.signal).catch(() => []);
      const asked = locations.length > 1 ? askLocation(locations) : undefined;
      if (asked !== undefined) {
        report('asked_user');
        return asked;
      }
    }
    if (!(error instanceof CommerceError))
      app.log.error({ tool: name, ...whereItFailed(error) }, 'a tool failed');
    const text = await explain(app.services, error, { question: tool, input }, call.signal);
    return errorResult(text);
  }
}

/** A report over several locations is refused until one is named (docs/platform.md#reports-by-location). */
function wantsLocation({ toolset, input: { shape } }: Tool, input: JsonObject, error: unknown) {
  const isReport = toolset === 'reports' || toolset === 'analysis';
  return (
    isReport &&
    'location_id' in shape &&
    input.location_id === undefined &&
    hasCode(error, 'forbidden')
  );
}

/** What went wrong inside, and where: no message, for it may quote what a person typed. */
function whereItFailed(error: unknown): { error: string; at?: string } {
  if (!(error instanceof Error)) return { error: typeof error };
  const at = error.stack
    ?.split('\n')
    .find((line) => line.trim().startsWith('at '))
    ?.trim();
  return { error: error.name, ...(at !== undefined && { at }) };
}

/** A failed call: text only, which no output schema is held against. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** The refusal of a tool that does not exist, with the nearest name or all of them, or of one that cannot run here. */
export function unknownTool(catalogue: Catalogue, name: string): ProtocolError {
  const lacking = name === query.tool ? engineProblem() : undefined;
  if (lacking !== undefined) {
    const advice = 'Use the tools that read lists and reports instead.';
    return new ProtocolError(ProtocolErrorCode.InvalidParams, `${lacking} ${advice}`);
  }
  const names = catalogue.list().map(({ tool }) => tool);
  const meant = nearest(name, names);
  const advice = meant ? `Did you mean ${meant}?` : `The tools are: ${names.join(', ')}.`;
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool "${quote(name, 60)}". ${advice}`,
  );
}
