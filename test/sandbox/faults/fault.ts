/** Faults of the sandbox in tests: the kinds, their conditions, and their form as text. */

/** The kinds and their forms, the first one by default; without forms, a value is free. */
export const FAULT_KINDS = {
  /** A problem document with status `value` (502); a number alone means it too. */
  status: [],
  /** A refusal with Retry-After `value` (1), or without it (`none`). */
  '429': [],
  /** An HTML page as a proxy gives it, or one that shows the headers of the request. */
  html: ['page', 'echo'],
  /** A body that is cut off, empty, no UTF-8, nested 20,000 deep, or text/plain. */
  body: ['cut', 'empty', 'not-text', 'deep', 'plain'],
  /** The connection is reset before any header, or halfway through the body. */
  reset: ['start', 'middle'],
  /** Headers after `ms` (60000), or the body in sixteen pieces `ms` (100) apart. */
  slow: ['headers', 'body'],
  /** A body of 100 MB, or headers of 100 kB. */
  huge: ['body', 'headers'],
  /** A redirect to `value` (a foreign origin). */
  redirect: [],
  /** A discovery document whose token endpoint is `value` (at a foreign origin). */
  'foreign-endpoint': [],
  /** Every token minted so far expires before the request is read. */
  expired: [],
  /** Rate-limit headers that are missing, unreadable or contradict each other. */
  limits: ['none', 'unreadable', 'odd'],
  /** No rows, a wrong total, a row twice, a cursor that never moves, an order before each answer. */
  list: ['null', 'high-total', 'low-total', 'repeated', 'stuck', 'shifting'],
} as const satisfies Record<string, readonly string[]>;

export type FaultKind = keyof typeof FAULT_KINDS;

/** One fault; without conditions it strikes every request. */
export interface Fault {
  kind: FaultKind;
  /** Which form of the kind; a status, an address or a header value where it is free. */
  value?: string;
  /** The path to strike: whole, or as it begins (`/api/order*`). Either origin's. */
  path?: string;
  /** Strike so many times, then no more. */
  times?: number;
  /** Strike every so-many-th request that fits. */
  every?: number;
  /** Let so many fitting requests pass first. */
  after?: number;
  /** A duration, for the kinds that take one. */
  ms?: number;
}

/**
 * Reads faults, separated by semicolons: each a kind, perhaps a form of it, and conditions.
 * @example parseFaults('502:every=5;body=cut:path=/api/order,times=2')
 */
export function parseFaults(text: string): Fault[] {
  const parts = text.split(';').map((part) => part.trim());
  return parts.filter((part) => part !== '').map(parseFault);
}

function parseFault(text: string): Fault {
  const [, name = '', form, rest = ''] = /^([^=:]*)(?:=([^:]*))?(?::(.*))?$/.exec(text) ?? [];
  const isStatus = /^[45]\d\d$/.test(name) && name !== '429';
  const kind = isStatus ? 'status' : name;
  if (!isKind(kind)) throw new Error(`no kind of fault: ${text}`);
  const conditions = rest.split(',').filter(Boolean).map(readCondition);
  const fault: Fault = { kind, ...Object.fromEntries(conditions) };
  const value = isStatus ? name : (form ?? fault.value);
  if (value === undefined) return fault;
  const forms: readonly string[] = FAULT_KINDS[kind];
  if (forms.length > 0 && !forms.includes(value)) throw new Error(`no form of a fault: ${text}`);
  return { ...fault, value };
}

function readCondition(text: string): [string, string | number] {
  const [, name = '', value = ''] = /^\s*(\w+)=(.+)$/.exec(text) ?? [];
  if (/^(path|value)$/.test(name)) return [name, value];
  if (/^(times|every|after|ms)$/.test(name) && /^\d+$/.test(value)) return [name, Number(value)];
  throw new Error(`no condition of a fault: ${text}`);
}

function isKind(text: string): text is FaultKind {
  return Object.hasOwn(FAULT_KINDS, text);
}

/** The faults in force; the first one that fits a request strikes it. */
export class FaultPlan {
  #planned: { fault: Fault; seen: number; struck: number }[] = [];

  inject(faults: readonly Fault[]): void {
    this.#planned.push(...faults.map((fault) => ({ fault, seen: 0, struck: 0 })));
  }

  clear(): void {
    this.#planned = [];
  }

  /** The fault that strikes this request, if any; every fault that fits has seen it. */
  pick(path: string): Fault | undefined {
    const [first] = this.#planned.filter((planned) => {
      const { path: pattern = '*', after = 0, every = 1, times = Infinity } = planned.fault;
      if (!strikes(pattern, path)) return false;
      planned.seen += 1;
      const counted = planned.seen - after;
      return counted > 0 && counted % Math.max(1, every) === 0 && planned.struck < times;
    });
    if (first !== undefined) first.struck += 1;
    return first?.fault;
  }
}

/** Whether a path to strike, whole or as it begins (`/api/order*`), is that of a request. */
export function strikes(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
