import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import type { ClientEvent } from '../../client/transport/runtime.ts';
import { CommerceError, type ErrorCode } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

/** How a call ended: `ok`, the code of the failure, or a defect. */
export type CallOutcome = 'ok' | 'unknown_tool' | 'unexpected' | ErrorCode;

/** A call of a tool, or a read of a resource, that is over. No argument and no answer is in it. */
export interface EndedCall {
  /** Name of the tool, or address of the resource as a template: `commerce://orders/{order_id}`. */
  tool: string;
  /** Who called, where callers are distinguished. */
  caller: string | undefined;
  outcome: CallOutcome;
  durationMs: number;
  /** Requests to the platform that this call caused, repeated attempts included. */
  upstreamRequests: number;
  /** The platform's name for each of them (docs/platform.md#errors), the first hundred. */
  traceIds: readonly string[];
}

/** The outcome of a call that failed with `error`, or was cancelled by its signal. */
export function outcomeOf(error: unknown, signal?: AbortSignal): CallOutcome {
  if (signal?.aborted) return 'cancelled';
  return error instanceof CommerceError ? error.code : 'unexpected';
}

const maxTraceIds = 100;

/**
 * The call that is under way, for all activities of a process: Node looks each storage through with every
 * promise that is made, and never forgets one.
 */
const underWay = new AsyncLocalStorage<{ upstreamRequests: number; traceIds: string[] }>();

/** What is going on, for the audit log and the metrics: `call` after each call, `platform` for what the client does. */
export class Activity extends EventEmitter<{ call: [EndedCall]; platform: [ClientEvent] }> {
  /**
   * Runs a call; what the client does meanwhile, in any queue, counts for it. `report`
   * reports an outcome that the result does not show; what is thrown unreported is `unexpected`.
   */
  async track<Result>(
    call: Pick<EndedCall, 'tool' | 'caller'>,
    run: (report: (outcome: CallOutcome) => void) => Promise<Result>,
  ): Promise<Result> {
    const startedMs = performance.now();
    const doing = { upstreamRequests: 0, traceIds: [] };
    let outcome: CallOutcome | undefined;
    const report = (reported: CallOutcome) => {
      outcome = reported;
    };
    try {
      // Following a call through every queue costs each of its promises: only where something listens.
      const isHeard = this.listenerCount('call') > 0;
      const result = await (isHeard ? underWay.run(doing, run, report) : run(report));
      outcome ??= 'ok';
      return result;
    } finally {
      const durationMs = performance.now() - startedMs;
      this.emit('call', { ...call, outcome: outcome ?? 'unexpected', ...doing, durationMs });
    }
  }

  /** Takes note of what the client did. */
  notice(event: ClientEvent): void {
    const doing = underWay.getStore();
    if (doing && event.event === 'request') {
      doing.upstreamRequests++;
      if (event.traceId !== undefined && doing.traceIds.length < maxTraceIds)
        doing.traceIds.push(event.traceId);
    }
    this.emit('platform', event);
  }
}

/** Writes one line for each call: who, what and how it went; never what was asked or answered. */
export function auditCalls(activity: Activity, log: Log, level: 'debug' | 'info'): void {
  if (!log.writes(level)) return;
  activity.on('call', ({ caller, tool, outcome, durationMs, upstreamRequests, traceIds }) => {
    const facts = {
      ...(caller !== undefined && { caller }),
      tool,
      outcome,
      duration_ms: Math.round(durationMs),
      upstream_requests: upstreamRequests,
      trace_ids: traceIds,
    };
    log[level](facts, 'call');
  });
}
