import type { Priority } from './budget-state.ts';

/** How urgent a request is; shared by all its attempts, and raised when somebody urgent joins it. */
export interface Urgency {
  priority: Priority;
  /**
   * For a drain, whose pages may wait through windows as long as it gets on: until when on the
   * elapsed clock. Without it, a call waits as long as the settings allow.
   */
  patientUntilMs?: (() => number) | undefined;
}

/** One request that wants to leave. */
export interface QueuedRequest {
  endpoint: string;
  urgency: Urgency;
  /** A repeated attempt goes before the new requests of its kind. */
  isRepeat: boolean;
  /** The elapsed clock's time at which waiting has to end, where the urgency does not say. */
  untilMs: number;
  signal: AbortSignal;
}

/** The elapsed clock's time until which a request waits. */
export function patientUntil(request: QueuedRequest): number {
  return request.urgency.patientUntilMs?.() ?? request.untilMs;
}

const ranks: Record<Priority, number> = { interactive: 4, drain: 2, prefetch: 0 };

/** Which request goes first: the one of the higher rank. */
export function rank(request: QueuedRequest): number {
  return ranks[request.urgency.priority] + (request.isRepeat ? 1 : 0);
}
