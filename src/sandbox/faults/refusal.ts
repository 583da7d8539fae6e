/** Answers that refuse, in place of the answer that would have come. */
import { problemDocument } from '../wire/problem.ts';
import type { Fault, FaultKind } from './fault.ts';
import { withoutLimits } from './spoilt-headers.ts';

/** The kinds that are a status with a problem document. */
export type RefusalKind = Extract<FaultKind, `${number}` | '429-bare'>;

/** A problem document with the status that the kind names. */
export function refusal(
  kind: RefusalKind,
  value: Fault['value'],
  answer: Response,
  traceId: string,
): Response {
  const status = Number.parseInt(kind, 10);
  // Section 8.4: a call that was not authenticated was not counted.
  const headers = status === 401 ? withoutLimits(answer.headers) : new Headers(answer.headers);
  headers.delete('content-length');
  headers.set('content-type', 'application/problem+json');
  if (status === 429 && headers.has('ratelimit')) useUp(headers);
  if (kind === '429') headers.set('retry-after', value ?? '1');
  const document = problemDocument(status, `A fault of the sandbox: ${kind}.`, traceId);
  return new Response(JSON.stringify(document), { status, headers });
}

/** Rate-limit headers that say that nothing remains. */
function useUp(headers: Headers): void {
  headers.set('ratelimit-remaining', '0');
  headers.set('ratelimit', `"general";r=0;t=${headers.get('ratelimit-reset') ?? '1'}`);
}
