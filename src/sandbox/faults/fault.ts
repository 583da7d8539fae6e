/** Faults to rehearse with: what can break, when, and how to say so on a command line. */

/** What each fault does to an answer. */
export const FAULT_KINDS = {
  '500': 'a problem document with status 500',
  '502': 'a problem document with status 502',
  '503': 'a problem document with status 503',
  html: 'status 503 with an HTML page, as a proxy gives it',
  echo: 'status 502 with a page that shows the headers of the request, credentials and all',
  empty: 'status 200 with an empty body',
  reset: 'the connection is reset before any header',
  'reset-body': 'the connection is reset halfway through the body',
  cut: 'JSON cut off halfway, in an answer that is otherwise whole',
  malformed: 'a body that is no JSON under a JSON content type',
  'not-text': 'bytes that are no UTF-8 under a JSON content type',
  deep: 'rows that hold lists within lists, 20,000 deep',
  'content-type': 'the right JSON under text/plain',
  slow: 'headers after `ms` (60000)',
  drip: 'the body in sixteen pieces, `ms` (100) apart',
  huge: 'a body of 100 MB',
  'huge-headers': 'headers of 100 kB',
  redirect: 'a redirect to `value` (a foreign origin)',
  'redirect-308': 'a redirect to `value` of the same request, headers and body included',
  'foreign-endpoint': 'a discovery document whose token endpoint is `value` (at a foreign origin)',
  '401': 'a problem document with status 401',
  expired: 'every token minted so far expires before this request is looked at',
  '429': 'a refusal with Retry-After `value` (1)',
  '429-bare': 'a refusal without Retry-After',
  'no-limits': 'the five rate-limit headers are missing',
  'bad-limits': 'rate-limit headers that cannot be read',
  'odd-limits': 'rate-limit headers that contradict each other',
  'null-list': 'null where the rows should be',
  'lying-total': 'a total that is 7 too high',
  'low-total': 'a total that is half of what it should be',
  shifting: 'one more order is placed before each answer',
  'repeated-ids': 'the last row of a page is its first row again',
  'stuck-cursor': 'a change feed that says more follows and never moves on',
} as const;

export type FaultKind = keyof typeof FAULT_KINDS;

/** One fault; without conditions it strikes every request. */
export interface Fault {
  kind: FaultKind;
  /** The path to strike: whole, beginning (`/api/order*`), or matching. Either origin's. */
  path?: string | RegExp;
  /** Strike so many times, then no more. */
  times?: number;
  /** Strike every so-many-th request that fits. */
  every?: number;
  /** Let so many fitting requests pass first. */
  after?: number;
  /** Begin so many milliseconds after the fault was injected. */
  afterMs?: number;
  /** A duration, for the kinds that take one. */
  ms?: number;
  /** An address or a header value, for the kinds that take one. */
  value?: string;
}

/** A text that names no faults. */
export class FaultSyntaxError extends Error {
  override readonly name = 'FaultSyntaxError';
}

const NUMBERS = ['times', 'every', 'after', 'afterMs', 'ms'] as const;
const TEXTS = ['path', 'value'] as const;

/**
 * Reads faults as a command line gives them: separated by semicolons, each a kind and its
 * conditions.
 * @example parseFaults('502:every=5;reset:path=/api/order,times=2')
 * @throws FaultSyntaxError naming the part that cannot be read
 */
export function parseFaults(text: string): Fault[] {
  return text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseFault);
}

function parseFault(text: string): Fault {
  const [kindText = '', ...rest] = text.split(':');
  const kind = kindText.trim();
  if (!isKind(kind)) {
    const known = Object.keys(FAULT_KINDS).join(', ');
    throw new FaultSyntaxError(`"${kind}" is no kind of fault. Known kinds: ${known}.`);
  }
  const fault: Fault = { kind };
  const conditions = rest.join(':');
  if (conditions === '') return fault;
  for (const condition of conditions.split(',')) addCondition(fault, condition.trim());
  return fault;
}

function addCondition(fault: Fault, condition: string): void {
  const [name = '', ...rest] = condition.split('=');
  const value = rest.join('=');
  const numeric = NUMBERS.find((each) => each === name);
  const textual = TEXTS.find((each) => each === name);
  if (numeric !== undefined) {
    if (!/^\d+$/.test(value)) {
      throw new FaultSyntaxError(`${fault.kind}: ${name} needs a whole number, not "${value}".`);
    }
    fault[numeric] = Number(value);
  } else if (textual !== undefined && value !== '') {
    fault[textual] = value;
  } else {
    const known = [...TEXTS, ...NUMBERS].map((each) => `${each}=...`).join(', ');
    throw new FaultSyntaxError(
      `${fault.kind}: "${condition}" is no condition. Known conditions: ${known}.`,
    );
  }
}

function isKind(text: string): text is FaultKind {
  return Object.hasOwn(FAULT_KINDS, text);
}
