import type { Activity } from './call-tracking.ts';
import type { Log } from './log.ts';

/** Writes one line for each call: who, what and how it went; never what was asked or answered. */
export function auditCalls(activity: Activity, log: Log, level: 'debug' | 'info'): void {
  if (!log.writes(level)) return;
  activity.onCall(({ caller, tool, outcome, durationMs, upstreamRequests, traceIds }) => {
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
