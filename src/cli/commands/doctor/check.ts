/** What the doctor looks at, in its order. */
export type CheckName =
  | 'configuration'
  | 'discovery'
  | 'exchange'
  | 'role and capabilities'
  | 'clock skew'
  | 'rate budget'
  | 'drift'
  | 'redis'
  | 'query engine';

/** A `warning` is good to know and leaves everything working; `not run` says what stood in the way. */
export type Verdict = 'ok' | 'warning' | 'failed' | 'not run';

/** What a check found, and what to do about it. */
export interface Finding {
  verdict: Verdict;
  detail: string;
  remedy?: string | undefined;
  /** What failed, for whoever knows more of the surroundings. */
  cause?: Error;
}

/** A finding under the name of its check. */
export interface Check extends Finding {
  name: CheckName;
}

/** A check as `doctor --json` prints it; a check that was not run is not ok. */
export function checkJson({ name, verdict, detail, remedy }: Check) {
  const ok = verdict === 'ok' || verdict === 'warning';
  return {
    check: name,
    ok,
    detail: verdict === 'not run' ? `not run: ${detail}` : detail,
    remedy: remedy ?? null,
  };
}
