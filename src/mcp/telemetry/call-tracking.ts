import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import type { ClientEvent } from '../../client/transport/runtime.ts';
import { CommerceError, type ErrorCode, InputError, PlatformError } from '../../core/errors.ts';
import type { Log } from '../../core/message.ts';
import { cutText } from '../../core/text.ts';

/** `ok`, the code of a failure, or a defect. */
export type CallOutcome = 'ok' | 'unknown_tool' | 'scope' | 'unexpected' | ErrorCode;

export interface RequestOrigin {
  request_id: string;
  remote?: string | undefined;
  /** Address of the caller, as the last proxy gives it. */
  forwarded_for?: string;
  /** W3C Trace Context, which follows a request through several services. */
  traceparent?: string;
}

/** An ended call of a tool or read of a resource, without arguments and answer. */
export interface EndedCall {
  /** Name of the tool, or address of the resource as a template: `commerce://orders/{order_id}`. */
  tool: string;
  caller: string | undefined;
  origin?: RequestOrigin | undefined;
  outcome: CallOutcome;
  /** The tool whose kept rows were read, if it is another one. */
  sourceTool?: string;
  rows?: number;
  bytes?: number;
  durationMs: number;
  /** Requests to the platform for this call, repetitions included. */
  upstreamRequests: number;
  /**
   * Names that the platform gave these requests (docs/platform.md#errors), the first hundred, without our own request
   * id.
   */
  traceIds: readonly string[];
}

export function outcomeOf(error: unknown, signal?: AbortSignal): CallOutcome {
  if (signal?.aborted) return 'cancelled';
  return error instanceof CommerceError ? error.code : 'unexpected';
}

/** A failure as programs read it (docs/answers.md#errors). */
export interface Failure {
  code: CallOutcome;
  status?: number | undefined;
  retry_after_seconds?: number | undefined;
  trace_id?: string | undefined;
  argument?: string | undefined;
}

export function failureOf(error: unknown): Failure {
  // The cause of a failed statement is the failure of its table.
  const [refusal] = [error, Object(error).cause].filter((each) => each instanceof PlatformError);
  const { status, traceId, retryAfterMs } = refusal ?? {};
  const argument = error instanceof InputError ? error.argument : undefined;
  return {
    code: outcomeOf(error),
    status,
    retry_after_seconds: retryAfterMs && Math.ceil(retryAfterMs / 1000),
    trace_id: traceId,
    // An unknown argument may have a name of any length.
    argument: argument && cutText(argument, 60),
  };
}

const maxTraceIds = 100;

/**
 * The current call, in one storage for the whole process: Node visits every storage with each promise and never frees
 * one.
 */
const currentCall = new AsyncLocalStorage<{
  origin: RequestOrigin | undefined;
  upstreamRequests: number;
  traceIds: string[];
}>();

/** Headers of the current request that are passed on to the platform. */
export function currentHeaders(): Record<string, string> {
  const { request_id, traceparent } = currentCall.getStore()?.origin ?? {};
  return {
    ...(request_id !== undefined && { 'x-request-id': request_id }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

export type CallFacts = Partial<Pick<EndedCall, 'outcome' | 'sourceTool' | 'rows' | 'bytes'>>;

/** Reports facts that the result of a call does not show, such as another outcome than `ok`. */
export type Report = (facts: CallFacts) => void;

/** `call` after each call, `platform` for events of the client, `prompts` when prompts have changed. */
type Events = { call: [EndedCall]; platform: [ClientEvent]; prompts: [] };

export class Activity extends EventEmitter<Events> {
  /** Runs a call and counts its requests, also those that waited in a queue. An error without a reported outcome is `unexpected`. */
  async track<Result>(
    call: Pick<EndedCall, 'tool' | 'caller' | 'origin'>,
    run: (report: Report) => Promise<Result>,
  ): Promise<Result> {
    const startedMs = performance.now();
    const current = { origin: call.origin, upstreamRequests: 0, traceIds: [] };
    let reportedFacts: CallFacts = {};
    let outcome: CallOutcome = 'unexpected';
    const report: Report = (facts) => {
      reportedFacts = { ...reportedFacts, ...facts };
    };
    try {
      // Async storage slows every promise, so it is used only if someone listens.
      const hasListener = this.listenerCount('call') > 0;
      const result = await (hasListener ? currentCall.run(current, run, report) : run(report));
      outcome = 'ok';
      return result;
    } finally {
      const durationMs = performance.now() - startedMs;
      this.emit('call', { ...call, outcome, ...reportedFacts, ...current, durationMs });
    }
  }

  notice(event: ClientEvent): void {
    const current = currentCall.getStore();
    if (current && event.event === 'request') {
      current.upstreamRequests++;
      const { traceId } = event;
      // A platform may return our own request id with every page.
      const isNew =
        traceId !== current.origin?.request_id && !current.traceIds.includes(traceId ?? '');
      if (traceId !== undefined && isNew && current.traceIds.length < maxTraceIds)
        current.traceIds.push(traceId);
    }
    this.emit('platform', event);
  }
}

/** Logs a line for each call, without question and answer. */
export function auditCalls(activity: Activity, log: Log, level: 'debug' | 'audit'): void {
  if (level === 'debug' && !log.writes(level)) return;
  activity.on('call', ({ caller, origin, tool, outcome, rows, bytes, ...call }) => {
    const facts = {
      ...origin,
      tool,
      outcome,
      duration_ms: Math.round(call.durationMs),
      caller,
      source_tool: call.sourceTool,
      rows,
      bytes,
      upstream_requests: call.upstreamRequests,
      trace_ids: call.traceIds,
    };
    log[level](facts, 'call');
  });
}
