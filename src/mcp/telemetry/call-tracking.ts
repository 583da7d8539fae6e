import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import type { ClientEvent } from '../../client/transport/runtime.ts';
import { CommerceError, type ErrorCode, InputError, PlatformError } from '../../core/errors.ts';
import type { Log } from '../../core/message.ts';
import { cutText } from '../../core/text.ts';

/** How a call ended: `ok`, the code of the failure, or a defect. */
export type CallOutcome = 'ok' | 'unknown_tool' | 'scope' | 'unexpected' | ErrorCode;

/** The HTTP request that a call came with, as logs name it. */
export interface RequestOrigin {
  request_id: string;
  /** Address of the other end of the connection. */
  remote?: string | undefined;
  /** Address that the last proxy says it asks for. */
  forwarded_for?: string;
  /** Trace Context of the W3C, by which requests are followed through several services. */
  traceparent?: string;
}

/** A call of a tool, or a read of a resource, that is over. No argument and no answer is in it. */
export interface EndedCall {
  /** Name of the tool, or address of the resource as a template: `commerce://orders/{order_id}`. */
  tool: string;
  caller: string | undefined;
  origin?: RequestOrigin | undefined;
  outcome: CallOutcome;
  /** The tool whose kept rows were read, where that is another one. */
  sourceTool?: string;
  /** Rows that left, and bytes of their text. */
  rows?: number;
  bytes?: number;
  durationMs: number;
  /** Requests to the platform that this call caused, repeated attempts included. */
  upstreamRequests: number;
  /** The platform's names for them (docs/platform.md#errors) but the request's own id, the first hundred. */
  traceIds: readonly string[];
}

/** The outcome of a call that failed with `error`, or was cancelled by its signal. */
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

/** The facts of a failure, without its text. */
export function failureOf(error: unknown): Failure {
  // A statement fails with the failure of its table as the cause.
  const [refusal] = [error, Object(error).cause].filter((each) => each instanceof PlatformError);
  const { status, traceId, retryAfterMs } = refusal ?? {};
  const argument = error instanceof InputError ? error.argument : undefined;
  return {
    code: outcomeOf(error),
    status,
    retry_after_seconds: retryAfterMs && Math.ceil(retryAfterMs / 1000),
    trace_id: traceId,
    // The name of an unknown argument may be of any length.
    argument: argument && cutText(argument, 60),
  };
}

const maxTraceIds = 100;

/**
 * The current call, in one storage for all activities of a process: Node looks through every storage with each promise,
 * and never forgets one.
 */
const underWay = new AsyncLocalStorage<{
  origin: RequestOrigin | undefined;
  upstreamRequests: number;
  traceIds: string[];
}>();

/** Headers of the current request that go on to the platform. */
export function headersUnderWay(): Record<string, string> {
  const { request_id, traceparent } = underWay.getStore()?.origin ?? {};
  return {
    ...(request_id !== undefined && { 'x-request-id': request_id }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

/** Facts that a call reports while it runs. */
export type CallFacts = Partial<Pick<EndedCall, 'outcome' | 'sourceTool' | 'rows' | 'bytes'>>;

/** Reports a fact that the result of a call does not show, such as another outcome than `ok`. */
export type Report = (facts: CallFacts) => void;

/** `call` after each call, `platform` for what the client does, `prompts` when files of prompts have changed. */
type Events = { call: [EndedCall]; platform: [ClientEvent]; prompts: [] };

/** Events for the audit log, the metrics and clients. */
export class Activity extends EventEmitter<Events> {
  /** Runs a call and counts the client's events for it, in any queue. An unreported error is `unexpected`. */
  async track<Result>(
    call: Pick<EndedCall, 'tool' | 'caller' | 'origin'>,
    run: (report: Report) => Promise<Result>,
  ): Promise<Result> {
    const startedMs = performance.now();
    const doing = { origin: call.origin, upstreamRequests: 0, traceIds: [] };
    let reported: CallFacts = {};
    let outcome: CallOutcome = 'unexpected';
    const report: Report = (facts) => {
      reported = { ...reported, ...facts };
    };
    try {
      // Following a call through every queue costs each promise: only where something listens.
      const isHeard = this.listenerCount('call') > 0;
      const result = await (isHeard ? underWay.run(doing, run, report) : run(report));
      outcome = 'ok';
      return result;
    } finally {
      const durationMs = performance.now() - startedMs;
      this.emit('call', { ...call, outcome, ...reported, ...doing, durationMs });
    }
  }

  notice(event: ClientEvent): void {
    const doing = underWay.getStore();
    if (doing && event.event === 'request') {
      doing.upstreamRequests++;
      const { traceId } = event;
      // A platform may repeat the id of our request as its own with every page.
      const isNew = traceId !== doing.origin?.request_id && !doing.traceIds.includes(traceId ?? '');
      if (traceId !== undefined && isNew && doing.traceIds.length < maxTraceIds)
        doing.traceIds.push(traceId);
    }
    this.emit('platform', event);
  }
}

/** Logs one line for each call: caller, tool and outcome; never the question or the answer. */
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
